/** The order of kinds in an export: a kind comes after the kinds it refers to. */
const kindOrder = [
  'Label',
  'Bucket',
  'CheckDeadman',
  'CheckThreshold',
  'NotificationEndpointHTTP',
  'NotificationEndpointPagerDuty',
  'NotificationEndpointSlack',
  'NotificationRule',
  'Task',
  'Variable',
  'Dashboard',
  'Telegraf',
]

/** The position of a kind in an export; unknown kinds come last. */
export function kindRank(kind: string): number {
  const rank = kindOrder.indexOf(kind)
  return rank < 0 ? kindOrder.length : rank
}
