// The page: bundles web/ into a directory, with a compressed copy beside each file. Names contain a digest of the
// content.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** For Vite, which also serves `npm run dev:web`. */
export const webConfig = {
  root: 'web',
  configFile: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  logLevel: 'warn',
}

/** Returns the modules that are part of the page. */
export async function buildWeb(directory) {
  const { build } = await import('vite')
  const { output } = await build({
    ...webConfig,
    build: {
      outDir: join(process.cwd(), directory),
      emptyOutDir: false,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      cssCodeSplit: false,
      reportCompressedSize: false,
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'page', test: isShared }] } } },
    },
  })
  compressAll(directory)
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
}

const later =
  /[\\/]web[\\/](?:views[\\/](?:create|stack|plan|channels|operate)[\\/]|palette|(?:channel|next)-action|effects)/

/** What the first views use is one file, so that they take few requests. */
function isShared(id) {
  return !later.test(id)
}

/** Files below this size are served as they are. */
const leastBytes = 512

function compressAll(directory) {
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, name)
    if (!statSync(path).isFile() || statSync(path).size < leastBytes) continue
    const bytes = readFileSync(path)
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
  }
}
