import { InProcessLocks } from '../../../src/lib/async/in-process-locks.js'
import { describeLocks } from './describe-locks.js'

describeLocks('locks of one process', () => new InProcessLocks())
