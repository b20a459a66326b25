import { defineTexts } from '@cuatrola/ui'

export const texts = defineTexts({
  es: {
    title: 'Cuatrola', tagline: 'Cuatro cartas y un compañero', play_now: 'Jugar ya',
    play_now_help: 'Contra la máquina, sin conexión ni cuenta', choose: 'Elegir reglas y nivel', resume: 'Seguir la partida',
    resume_help: 'Tienes una partida a medias.', abandon: 'Dejarla', check: 'Comprobar una partida descargada',
  },
  ca: {
    title: 'Cuatrola', tagline: 'Quatre cartes i un company', play_now: 'Jugar ara',
    play_now_help: 'Contra la màquina, sense connexió ni compte', choose: 'Triar regles i nivell', resume: 'Seguir la partida',
    resume_help: 'Tens una partida a mitges.', abandon: 'Deixar-la', check: 'Comprovar una partida descarregada',
  },
  en: {
    title: 'Cuatrola', tagline: 'Four cards and a partner', play_now: 'Play now',
    play_now_help: 'Against the machine, without connection or account', choose: 'Choose rules and level', resume: 'Go on with the match',
    resume_help: 'You have a match that is not over.', abandon: 'Give it up', check: 'Check a downloaded match',
  },
})
