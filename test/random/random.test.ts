import { describeSequences } from './describe-sequences.js'

describeSequences({ memory: [1, 31, 61, 91, 121, 151, 181, 211, 241], git: [1000, 1010, 1020] })
