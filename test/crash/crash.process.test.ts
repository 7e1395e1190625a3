import { describeCrashes } from './describe-crashes.js'

describeCrashes()
