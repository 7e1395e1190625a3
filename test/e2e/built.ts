import { join } from 'node:path'

/** The program as it is shipped, which test/build-once.ts builds. */
export const program = join(process.cwd(), 'dist/main.js')
