/** The order of kinds in an export (packages 7.2): what is needed comes before who needs it. */
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

/** Where a kind stands in an export (packages 7.2); a kind that is not known stands last. */
export function kindRank(kind: string): number {
  const rank = kindOrder.indexOf(kind)
  return rank < 0 ? kindOrder.length : rank
}
