// Icons on a grid of 16 px, drawn with a line of 1.5.
import type { ComponentChildren } from 'preact'

const circle = <circle cx="8" cy="8" r="6" />

const shapes: Readonly<Record<string, ComponentChildren>> = {
  overview: (
    <>
      <path d="m2.5 7.5 5.500-4.700 5.500 4.700" />
      <path d="M4 6.500v6.300h8V6.500M6.500 12.800V9.300h3v3.500" />
    </>
  ),
  stacks: (
    <>
      <path d="m8 2 6 3-6 3-6-3z" />
      <path d="m2 8 6 3 6-3M2 11l6 3 6-3" />
    </>
  ),
  channels: (
    <>
      <circle cx="4" cy="4" r="1.700" />
      <circle cx="12" cy="12" r="1.700" />
      <path d="M5.700 4H11a1.500 1.500 0 0 1 1.500 1.500V10M2 12h8" />
    </>
  ),
  history: (
    <>
      <path d="M2.500 8a5.500 5.500 0 1 0 1.700-4L2.500 5.500M2.500 2.500v3h3" />
      <path d="M8 5v3.200l2.200 1.300" />
    </>
  ),
  targets: (
    <>
      <rect x="2" y="2.500" width="12" height="4.500" rx="1.200" />
      <rect x="2" y="9" width="12" height="4.500" rx="1.200" />
      <path d="M4.800 4.800h.01M4.800 11.200h.01" stroke-width="2" />
    </>
  ),
  more: <path d="M3.500 8h.01M8 8h.01M12.500 8h.01" stroke-width="2.500" />,
  settings: (
    <>
      <path d="M2 4.500h6M12 4.500h2M2 11.500h2M8 11.500h6" />
      <circle cx="10" cy="4.500" r="1.800" />
      <circle cx="6" cy="11.500" r="1.800" />
    </>
  ),
  webhooks: (
    <>
      <circle cx="8" cy="4.500" r="2.200" />
      <circle cx="4" cy="11.500" r="2.200" />
      <circle cx="12" cy="11.500" r="2.200" />
      <path d="M7 6.500 5.200 9.600M9 6.500l1.800 3.100M6.200 11.500h3.600" />
    </>
  ),
  doctor: <path d="M1.800 8.500h3l1.700-4.700 3 8.400 1.700-3.700h3" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.300" />
      <path d="m10.300 10.300 3.200 3.200" />
    </>
  ),
  synced: (
    <>
      {circle}
      <path d="m5.300 8.200 1.900 1.900 3.500-3.900" />
    </>
  ),
  behind: (
    <>
      <circle cx="8" cy="8" r="6" stroke-dasharray="2.600 2.200" />
      <path d="M8 10.800V5.400M5.700 7.600 8 5.300l2.300 2.300" />
    </>
  ),
  approval: (
    <>
      <path d="M8 1.700 14.300 8 8 14.300 1.700 8z" />
      <path d="M8 5.200v3.200M8 10.700v.01" stroke-width="1.800" />
    </>
  ),
  failed: (
    <>
      <path d="M5.500 1.800h5l3.700 3.700v5l-3.700 3.700h-5l-3.700-3.700v-5z" />
      <path d="m5.900 5.900 4.200 4.200M10.100 5.900l-4.200 4.200" />
    </>
  ),
  drifted: (
    <>
      <rect x="2" y="2" width="12" height="12" rx="2.500" />
      <path d="M4.500 6.500c1.200-1.300 2.300-1.300 3.500 0s2.300 1.300 3.500 0M4.500 10c1.200-1.300 2.300-1.300 3.500 0s2.300 1.300 3.500 0" />
    </>
  ),
  degraded: (
    <>
      <path d="M8 2.200 14.300 13.300H1.700z" />
      <path d="M4.800 10.500h1.400l1-2.300 1.500 3.300.8-1h1.700" stroke-width="1.300" />
    </>
  ),
  suspended: (
    <>
      {circle}
      <path d="M6.300 5.800v4.400M9.700 5.800v4.400" />
    </>
  ),
  waiting: (
    <>
      {circle}
      <path d="M8 4.800V8l2.200 1.500" />
    </>
  ),
  pinned: <path d="M5.500 2h5M6.300 2v4.200L4.200 8.800h7.600L9.700 6.200V2M8 8.800V14" />,
  running: <path d="M8 2a6 6 0 1 1-6 6" />,
  unknown: (
    <>
      <circle cx="8" cy="8" r="6" stroke-dasharray="1.500 2" />
      <path d="M6.500 6.300A1.600 1.600 0 1 1 8.600 8c-.4.200-.6.500-.6.900M8 11.100v.01" />
    </>
  ),
  move: (
    <>
      <circle cx="8" cy="8" r="2.200" />
      <path d="M1.500 8h4.300M10.200 8h4.300" />
    </>
  ),
  veto: (
    <>
      {circle}
      <path d="m3.900 3.900 8.200 8.200" />
    </>
  ),
  promote: <path d="M3 13V9.500A2.500 2.500 0 0 1 5.500 7H13M10 4l3 3-3 3" />,
  person: (
    <>
      <circle cx="8" cy="5" r="2.500" />
      <path d="M3 13.500c.5-2.600 2.500-4 5-4s4.500 1.400 5 4" />
    </>
  ),
  retry: <path d="M13 8a5 5 0 1 1-1.500-3.600L13 6M13 2.800V6H9.800" />,
  drift: (
    <path d="M2 6c1.500-1.700 3-1.700 4.500 0s3 1.700 4.500 0 2-1.500 3-.8M2 10.500c1.500-1.700 3-1.700 4.500 0s3 1.700 4.500 0 2-1.500 3-.8" />
  ),
  new: <path d="M8 3v10M3 8h10" />,
  copy: (
    <>
      <rect x="5.500" y="5.500" width="8" height="8" rx="1.500" />
      <path d="M10.500 3V2.500h-8v8H3" />
    </>
  ),
  download: <path d="M8 2.500v7.500M4.800 7 8 10.200 11.200 7M3 13.500h10" />,
  right: <path d="m6 3.500 4.500 4.500L6 12.500" />,
  down: <path d="m3.500 6 4.500 4.500L12.500 6" />,
  check: <path d="m3 8.500 3.200 3.200L13 5" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  link: <path d="M9.500 3h3.500v3.500M13 3 7.500 8.500M11.500 9.500V13h-8.500V4.500h3.500" />,
  git: (
    <>
      <circle cx="4.500" cy="3.500" r="1.600" />
      <circle cx="4.500" cy="12.500" r="1.600" />
      <circle cx="11.500" cy="6" r="1.600" />
      <path d="M4.500 5.100v5.800M11.500 7.600c0 2-3 2.200-5.400 3.400" />
    </>
  ),
  box: (
    <>
      <path d="m8 1.800 5.500 3v6.400L8 14.200l-5.500-3V4.800z" />
      <path d="m2.600 4.900 5.400 3 5.400-3M8 7.900v6.200" />
    </>
  ),
  plan: (
    <>
      <path d="M3.500 2h6l3 3v9h-9z" />
      <path d="M6 7.500h4M8 5.500v4M6 11.500h4" />
    </>
  ),
  Bucket: (
    <>
      <ellipse cx="8" cy="4" rx="5" ry="2" />
      <path d="M3 4v8c0 1.100 2.200 2 5 2s5-.9 5-2V4" />
    </>
  ),
  Dashboard: (
    <>
      <rect x="2" y="2.500" width="5" height="6.500" rx="1" />
      <rect x="9" y="2.500" width="5" height="3" rx="1" />
      <rect x="9" y="7.500" width="5" height="6" rx="1" />
      <rect x="2" y="11" width="5" height="2.500" rx="1" />
    </>
  ),
  Task: (
    <>
      {circle}
      <path d="m6.700 5.700 3.600 2.300-3.600 2.300z" />
    </>
  ),
  Label: (
    <>
      <path d="M2.500 2.500h5l6 6-5 5-6-6z" />
      <path d="M5.300 5.300h.01" stroke-width="2" />
    </>
  ),
  Check: (
    <path d="M8 2a4 4 0 0 1 4 4c0 3.500 1.500 4.500 1.500 5h-11c0-.5 1.500-1.500 1.500-5a4 4 0 0 1 4-4M6.500 13.500h3" />
  ),
}

interface IconProps {
  /** Of a shape, or the kind of a resource; an unknown one is a box. */
  readonly name: string
  readonly size?: number
  /** What it says; absent: the text beside it says that. */
  readonly title?: string | undefined
  readonly class?: string | undefined
}

export function Icon({ name, size = 16, title, class: more = '' }: IconProps) {
  const named =
    title === undefined ? ({ 'aria-hidden': 'true' } as const) : ({ role: 'img', 'aria-label': title } as const)
  return (
    <svg class={`icon ${more}`} width={size} height={size} viewBox="0 0 16 16" {...named}>
      {shapes[name] ?? shapes[name.replace(/^Check.*/, 'Check')] ?? shapes['box']}
    </svg>
  )
}

/** The mark of gitmoor, as in public/icon.svg. It needs no request. */
export function Logo({ size }: { readonly size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" fill="#12506b" />
      <g fill="none" stroke="#fff" stroke-width="1.8" stroke-linecap="round">
        <circle cx="12" cy="6.600" r="2" />
        <path d="M12 8.800v9.400M8.600 11.600h6.800M5.600 13.600c.3 3 3 4.800 6.400 4.800s6.100-1.800 6.400-4.800" />
      </g>
    </svg>
  )
}
