// A process of its own, for the crash matrix on a real InfluxDB.
import { runChild } from '../../../crash/run-child.js'
import { realServer } from '../server.js'
import { crashUnderTest, organisationVariable } from './under-test.js'

void runChild(crashUnderTest(realServer()!, process.env[organisationVariable]!))
