import { defineTexts } from '@cuatrola/ui'

export const texts = defineTexts({
  es: { notices: 'Avisos', unread_one: '{n} aviso sin leer', unread_other: '{n} avisos sin leer' },
  ca: { notices: 'Avisos', unread_one: '{n} avís sense llegir', unread_other: '{n} avisos sense llegir' },
  en: { notices: 'Notices', unread_one: '{n} unread notice', unread_other: '{n} unread notices' },
})
