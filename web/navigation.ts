// The views in the navigation. `key`: after `g`. `isLate`: at the bottom of a phone, below "More".
export interface NavigationEntry {
  readonly to: string
  readonly icon: string
  readonly name: string
  readonly key: string
  readonly isLate?: true
}

export const navigation: readonly NavigationEntry[] = [
  { to: '/', icon: 'overview', name: 'Overview', key: 'o' },
  { to: '/stacks', icon: 'stacks', name: 'Stacks', key: 's' },
  { to: '/channels', icon: 'channels', name: 'Channels', key: 'c' },
  { to: '/history', icon: 'history', name: 'History', key: 'h' },
  { to: '/targets', icon: 'targets', name: 'Targets', key: 't', isLate: true },
  { to: '/webhooks', icon: 'webhooks', name: 'Webhooks', key: 'w', isLate: true },
  { to: '/doctor', icon: 'doctor', name: 'Doctor', key: 'd', isLate: true },
  { to: '/settings', icon: 'settings', name: 'Settings', key: ',', isLate: true },
]
