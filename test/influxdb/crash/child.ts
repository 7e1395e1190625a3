// A process of its own, for the crash matrix on the embedded platform.
import { runChild } from '../../crash/run-child.js'
import { embeddedUnderTest } from '../under-test.js'

void runChild(embeddedUnderTest)
