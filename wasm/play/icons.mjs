// Draws the pictures of public/ from icon.svg: what phones put among their apps. Run it after a change of the drawing:
//     node icons.mjs
import { readFile, writeFile } from 'node:fs/promises'
import { launch } from '../../scripts/browser.mjs'

const here = (name) => new URL(`public/${name}`, import.meta.url)
const drawing = await readFile(here('icon.svg'), 'utf8')
// From edge to edge, for systems that cut their own shape out of it: all that matters is in the middle eight tenths.
const whole = drawing.replace('rx="112"', '').replace('transform="translate(-24 0)"', 'transform="translate(32 51) scale(.8)"')

const browser = await launch()
try {
  const page = await browser.newPage()
  for (const [name, size, svg] of [
    ['icon-192.png', 192, drawing], ['icon-512.png', 512, drawing], ['icon-maskable-512.png', 512, whole], ['apple-touch-icon.png', 180, whole],
  ]) {
    await page.setViewportSize({ width: size, height: size })
    await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw;height:100vh}</style>${svg}`)
    await writeFile(here(name), await page.screenshot({ omitBackground: true }))
  }
} finally {
  await browser.close()
}
