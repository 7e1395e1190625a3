import { describeSequences } from '../../random/describe-sequences.js'
import { embeddedUnderTest } from '../under-test.js'

describeSequences({ memory: [1, 31, 61], git: [1000] }, embeddedUnderTest)
