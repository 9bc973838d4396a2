/**
 * The column `about` of a delivery: what it tells of besides its lead, as text in a form for each
 * kind of notice. It is empty where a notice needs nothing more.
 */

/** `before` is not part of it. */
export type Span = { from: number; before: number }

export type LowDisk = { at: number; freeMib: number; machine: string }

export type LateBackup = { at: number; madeAt: number; machine: string }

/** `leads.held`, `leads.gathered` and `leads.week`: the time they cover. */
export const aboutSpan = {
  write: ({ from, before }: Span): string => `${from} ${before}`,
  read(about: string): Span {
    const [from = '0', before = '0'] = about.split(' ')
    return { from: Number(from), before: Number(before) }
  },
}

/** `delivery.dead`: the channel, and the time in which its deliveries died. */
export const aboutDead = {
  write: (channel: string, span: Span): string => `${aboutSpan.write(span)} ${channel}`,
  read: (about: string): { channel: string; span: Span } => ({
    span: aboutSpan.read(about),
    channel: about.split(' ').slice(2).join(' '),
  }),
}

/** `disk.low`: when it was seen, what is free, and on which machine. */
export const aboutDisk = {
  write: ({ at, freeMib, machine }: LowDisk): string => `${at} ${freeMib} ${machine}`,
  read(about: string): LowDisk {
    const [at = '0', freeMib = '0', machine = ''] = about.split(' ')
    return { at: Number(at), freeMib: Number(freeMib), machine }
  },
}

/** `backup.late`: when it was seen, when the last one was made (0: never), and on which machine. */
export const aboutBackup = {
  write: ({ at, madeAt, machine }: LateBackup): string => `${at} ${madeAt} ${machine}`,
  read(about: string): LateBackup {
    const [at = '0', madeAt = '0', machine = ''] = about.split(' ')
    return { at: Number(at), madeAt: Number(madeAt), machine }
  },
}
