// A process of its own, for the crash matrix.
import { plain } from '../plain/under-test.js'
import { runChild } from './run-child.js'

void runChild(plain)
