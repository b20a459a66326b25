import { ways } from '../device'

// Sounds are made here, of a few tones and a little noise: soft, short, and each its own.

export type Sound = 'card' | 'trick' | 'bid' | 'cante' | 'turn' | 'tick' | 'talk' | 'won' | 'lost'

let context: AudioContext | null = null

function open(): AudioContext | null {
  try {
    context ??= new AudioContext()
  } catch {
    return null // A browser without: the table is quiet.
  }
  // Not before somebody has touched the page.
  if (context.state === 'suspended') void context.resume().catch(() => undefined)
  return context
}

interface Tone {
  /** Hertz, at its beginning and, if it glides, at its end. */
  from: number
  to?: number
  /** Seconds after the sound's beginning, and how long. */
  at?: number
  lasts: number
  loud?: number
  shape?: OscillatorType
}

const tones: Record<Exclude<Sound, 'card' | 'trick'>, readonly Tone[]> = {
  bid: [{ from: 330, lasts: 0.09, shape: 'triangle' }, { from: 440, at: 0.08, lasts: 0.12, shape: 'triangle' }],
  cante: [523, 659, 784].map((from, i) => ({ from, at: i * 0.1, lasts: 0.3, shape: 'triangle' as const })),
  turn: [{ from: 660, lasts: 0.12 }, { from: 880, at: 0.11, lasts: 0.2 }],
  tick: [{ from: 1200, lasts: 0.04, loud: 0.5 }],
  talk: [{ from: 500, to: 720, lasts: 0.12, loud: 0.8 }],
  won: [392, 523, 659, 784].map((from, i) => ({ from, at: i * 0.12, lasts: 0.35, shape: 'triangle' as const })),
  lost: [{ from: 330, lasts: 0.25, shape: 'triangle' }, { from: 262, at: 0.2, lasts: 0.4, shape: 'triangle' }],
}

/** Makes a sound, if this device wants any. */
export function sound(name: Sound): void {
  if (ways().sound) make(name)
}

/** What sounds are like, as soon as they are wanted. */
export const hearSample = () => make('cante')

function make(name: Sound): void {
  const audio = open()
  if (!audio) return
  const now = audio.currentTime
  if (name === 'card') rustle(audio, now, 0.09, 1800)
  else if (name === 'trick') [0, 0.06, 0.12].forEach((at) => rustle(audio, now + at, 0.1, 1100))
  else for (const tone of tones[name]) sing(audio, now, tone)
}

function sing(audio: AudioContext, now: number, { from, to = from, at = 0, lasts, loud = 1, shape = 'sine' }: Tone): void {
  const voice = audio.createOscillator()
  const volume = audio.createGain()
  const start = now + at
  voice.type = shape
  voice.frequency.setValueAtTime(from, start)
  voice.frequency.linearRampToValueAtTime(to, start + lasts)
  volume.gain.setValueAtTime(0.0001, start)
  volume.gain.exponentialRampToValueAtTime(0.09 * loud, start + 0.015)
  volume.gain.exponentialRampToValueAtTime(0.0001, start + lasts)
  voice.connect(volume).connect(audio.destination)
  voice.start(start)
  voice.stop(start + lasts + 0.02)
}

/** Paper on cloth: noise that fades, around a pitch. */
function rustle(audio: AudioContext, start: number, lasts: number, pitch: number): void {
  const samples = Math.ceil(audio.sampleRate * lasts)
  const buffer = audio.createBuffer(1, samples, audio.sampleRate)
  const data = buffer.getChannelData(0)
  for (let i = 0; i < samples; i++) data[i] = (Math.random() * 2 - 1) * (1 - i / samples) ** 3
  const noise = audio.createBufferSource()
  const band = audio.createBiquadFilter()
  const volume = audio.createGain()
  noise.buffer = buffer
  band.type = 'bandpass'
  band.frequency.value = pitch
  band.Q.value = 0.8
  volume.gain.value = 0.28
  noise.connect(band).connect(volume).connect(audio.destination)
  noise.start(start)
}
