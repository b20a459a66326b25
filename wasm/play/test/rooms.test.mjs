import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessible, fits, GameServer, languages, launch, phone, play, visit } from './harness.mjs'
import { as, at, atTable, close, key, person } from './lobby.mjs'

describe('rooms', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  const place = (seat) => `[data-place="${seat}"]`

  it('a friend comes by the link as nobody, and the two play a match and are back in the room', async () => {
    const ana = await visit(browser, server.url + '/rooms')
    await ana.waitForSelector('.house-rules')
    await ana.selectOption('select[name=preset]', 'clasica')
    await ana.selectOption('select[name=length]', 'points:3')
    await ana.selectOption('select[name=pause]', '0')
    await ana.click('[data-action=open]')
    await ana.waitForSelector(place(0))
    const code = (await ana.textContent('.room-code')).trim()
    assert.equal(at(ana), '/r/' + code)
    // Nobody else is there: the match cannot begin, and it is said why.
    assert.equal(await ana.getAttribute('[data-action=start-room]', 'aria-disabled'), 'true')
    assert.match(await ana.textContent('.why'), /Queda sitio/)

    const ben = await visit(browser, `${server.url}/r/${code}`)
    await ben.waitForSelector('[data-action=join]')
    assert.equal(await ben.evaluate(() => localStorage.getItem('cuatrola.device')), null, 'looking makes nobody')
    await ben.fill('input[name=name]', 'Benito')
    await ben.click('[data-action=join]')
    await ben.waitForSelector(`${place(1)}[data-taken=person]`)
    await ana.waitForFunction(() => document.querySelector('[data-place="1"]')?.textContent.includes('Benito'))
    await ana.waitForFunction(() => document.querySelector('[data-said]').textContent.includes('Benito ha entrado'))

    // Ben moves opposite, by keyboard; a reload in the middle finds him there.
    await ben.focus(`${place(2)} [data-action=sit]`)
    await ben.keyboard.press('Enter')
    await ana.waitForSelector(`${place(2)}[data-taken=person]`)
    await Promise.all([ben.reload(), ana.reload()])
    await ben.waitForSelector(`${place(2)}[data-taken=person]`)
    await ana.waitForSelector(`${place(2)}[data-taken=person]`)

    // The machine gets the other seats, one of them better than the other.
    await ana.click(`${place(1)} [data-action=bot]`)
    await ana.waitForSelector(`${place(1)} [data-level=tabernero]`)
    await ana.click(`${place(3)} .menu-anchor button`)
    await ana.getByRole('menuitem', { name: 'Máquina: Aprendiz' }).click()
    await ben.waitForSelector(`${place(3)} [data-level=aprendiz]`)
    assert.match(await ana.textContent('.why'), /Benito/)
    await ben.click('[data-action=ready]')
    await ana.waitForSelector(`${place(2)} [data-ready]`)
    await ana.waitForSelector('[data-action=start-room][aria-disabled=false]')
    await ana.click('[data-action=start-room]')
    await Promise.all([atTable(ana), atTable(ben)])
    assert.equal(at(ana), at(ben))

    const ends = await Promise.all([play(ana), play(ben)])
    assert.deepEqual(ends.map(({ demand }) => demand.kind), ['end', 'end'])
    assert.equal(ends[0].demand.won, ends[1].demand.won, 'they sat opposite')
    // The room comes back behind the match, with everybody asked anew.
    await ben.goto(server.url)
    await ben.click('.engaged[data-engaged=room] a')
    await ben.waitForSelector('[data-action=ready]')
    assert.equal(at(ben), '/r/' + code)
    // Another match is one in the same room.
    await ana.click('[data-action=again]')
    await ana.waitForSelector('[data-action=start-room]')
    assert.equal(at(ana), '/r/' + code)
    assert.equal(await ben.locator('[data-ready]').count(), 0)
    await close(ana, ben)
  })

  it('brings whoever looks elsewhere to the table, and back there after a reload', async () => {
    const [eva, tom] = await Promise.all([person(server), person(server)])
    const room = await eva.call('POST', '/v1/rooms', { rules: 'mesa' }, key())
    await tom.call('POST', '/v1/rooms/join', { code: room.code })
    for (const seat of [2, 3]) await eva.call('PUT', `/v1/rooms/${room.id}/seats/${seat}`, { who: 'bot' })
    await tom.call('PUT', `/v1/rooms/${room.id}/ready`, { ready: true })
    const page = await as(browser, server, tom, '/friends')
    await page.waitForSelector('.engaged[data-engaged=room]')
    await eva.call('POST', `/v1/rooms/${room.id}/start`, undefined, key())
    await atTable(page)
    const table = at(page)
    await page.goto(server.url)
    await page.click('.engaged[data-engaged=match] a')
    await atTable(page)
    assert.equal(at(page), table)
    await close(page)
  })

  it('says that a code is wrong, and that a room is full', async () => {
    const page = await visit(browser, server.url + '/r/ZZZZZZ')
    await page.click('[data-action=join]')
    await page.waitForSelector('[data-dead=ZZZZZZ]')
    await accessible(page, 'dead')
    const owner = await person(server)
    const room = await owner.call('POST', '/v1/rooms', { rules: 'mesa' }, key())
    for (const seat of [1, 2, 3]) await owner.call('PUT', `/v1/rooms/${room.id}/seats/${seat}`, { who: 'bot' })
    // As people type it.
    await page.fill('input[name=code]', `${room.code.slice(0, 3)}-${room.code.slice(3).toLowerCase()}`)
    await page.click('[data-action=enter-code]')
    await page.click('[data-action=join]')
    await page.waitForSelector('[data-problem=room_full]')
    assert.equal(at(page), '/r/' + room.code)
    await close(page)
  })

  it('tells who was put out, once, and lets them in again by an invitation', async () => {
    const owner = await person(server)
    const room = await owner.call('POST', '/v1/rooms', { rules: 'mesa' }, key())
    const boss = await as(browser, server, owner, '/r/' + room.code)
    const page = await visit(browser, `${server.url}/r/${room.code}`)
    await page.fill('input[name=name]', 'Traviesa')
    await page.click('[data-action=join]')
    await boss.waitForSelector(`${place(1)}[data-taken=person]`)
    await boss.click(`${place(1)} .menu-anchor button`)
    await boss.getByRole('menuitem', { name: 'Sacar de la sala' }).click()
    await accessible(boss, 'putting out')
    await boss.click('[data-action=confirm]')
    await page.waitForSelector('[data-ended=kicked]')
    assert.match(await page.textContent('#content'), /te ha sacado/)
    await accessible(page, 'put out')
    // Still told after a reload; once one has gone elsewhere it is over, and the link does not help.
    await page.reload()
    await page.waitForSelector('[data-ended=kicked]')
    await page.click('.navigation [data-area=home]')
    await page.waitForSelector('.home')
    await page.goto(`${server.url}/r/${room.code}`)
    await page.click('[data-action=join]')
    await page.waitForSelector('[data-problem=kicked]')
    await boss.fill('input[name=invite-name]', 'traviesa')
    await boss.click('[data-action=invite-name]')
    await page.click('[data-arrival=room_invite] [data-action=yes]')
    await page.waitForSelector(`${place(1)}[data-taken=person]`)
    // On another page it is said all the same.
    await page.goto(server.url + '/friends')
    await page.waitForSelector('.engaged')
    const { seats } = await owner.call('GET', `/v1/rooms/${room.id}`)
    await owner.call('DELETE', `/v1/rooms/${room.id}/members/${seats[1].player.id}`)
    await page.waitForFunction(() => document.querySelector('.toasts').textContent.includes('te ha sacado'))
    await page.waitForSelector('.engaged', { state: 'detached' })
    await page.reload()
    await page.waitForSelector('#content h1')
    assert.equal(await page.locator('.toast').count(), 0, 'told once')
    await close(page, boss)
  })

  it('has the owner change rules and seats, and asks before one goes from one room to another', async () => {
    const [owner, other] = await Promise.all([person(server), person(server)])
    const room = await owner.call('POST', '/v1/rooms', { rules: 'mesa' }, key())
    const second = await other.call('POST', '/v1/rooms', { rules: 'liga' }, key())
    const page = await as(browser, server, owner, '/r/' + room.code)
    await page.click('[data-action=rules]')
    await page.waitForSelector('.dialog .house-rules')
    await page.selectOption('.dialog select[name=preset]', 'liga')
    await page.selectOption('.dialog select[name=turn]', '60')
    await page.click('.dialog summary')
    await page.selectOption('.dialog select[name=cantes]', 'auto')
    await page.click('[data-action=confirm]')
    await page.waitForSelector('.dialog', { state: 'detached' })
    await page.waitForFunction(() => document.querySelector('.facts').textContent.includes('60 segundos'))
    const now = await owner.call('GET', `/v1/rooms/${room.id}`)
    assert.deepEqual([now.rules, now.turnSeconds], [{ preset: 'liga', cantes: 'auto' }, 60])
    await page.click('[data-action=qr]')
    await page.waitForSelector('.dialog .qr')
    await page.keyboard.press('Escape')
    await page.goto(`${server.url}/r/${second.code}`)
    await page.click('[data-action=switch]')
    await page.waitForSelector(`${place(1)}[data-taken=person]`)
    assert.equal((await owner.call('GET', '/v1/me/engagement')).id, second.id)
    await page.click('[data-action=leave]')
    await page.waitForSelector('[data-action=open]')
    assert.equal((await owner.call('GET', '/v1/me/engagement')).kind, 'none')
    await close(page)
  })

  it('is for everybody: in both themes, on a phone, in three languages', async () => {
    const [owner, guest] = await Promise.all([person(server), person(server)])
    const room = await owner.call('POST', '/v1/rooms', { rules: { preset: 'clasica', partnerExempt: true } }, key())
    await guest.call('POST', '/v1/rooms/join', { code: room.code })
    await owner.call('PUT', `/v1/rooms/${room.id}/seats/3`, { who: 'bot', level: 'maestro' })
    await guest.call('PUT', `/v1/rooms/${room.id}/ready`, { ready: true })
    for (const language of languages) {
      for (const [who, path, wait] of [[owner, '/r/' + room.code, place(3)], [guest, '/r/' + room.code, place(3)], [await person(server), '/rooms', '.house-rules'], [await person(server), '/r/' + room.code, '[data-action=join]'], [owner, '/friends', '.engaged']]) {
        const page = await as(browser, server, who, path, { ...phone, language })
        await page.waitForSelector(wait)
        await fits(page, `${path}, ${language}`)
        // Axe on a wide page: on a phone the navigation lies over whatever is scrolled below it.
        if (language === 'es-ES') {
          await page.setViewportSize({ width: 1280, height: 800 })
          await accessible(page, path)
        }
        await close(page)
      }
    }
  })
})
