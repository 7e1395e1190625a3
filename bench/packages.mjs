// Packages as a person might have written them.

/** A bucket with a label on it. Another `turn`, another description: one change. */
export function smallPackage(name, turn) {
  return `apiVersion: influxdata.com/v2alpha1
kind: Label
metadata:
  name: ${name}-team
spec:
  color: "#326ce5"
---
apiVersion: influxdata.com/v2alpha1
kind: Bucket
metadata:
  name: ${name}-raw
spec:
  description: "Turn ${turn}"
  retentionRules:
    - type: expire
      everySeconds: 86400
  associations:
    - kind: Label
      name: ${name}-team
`
}

/** One document of many. Another `turn`, another description. */
export function bucket(name, turn = 0) {
  return `apiVersion: influxdata.com/v2alpha1
kind: Bucket
metadata:
  name: ${name}
spec:
  description: "Measurements of ${name}, turn ${turn}"
  retentionRules:
    - type: expire
      everySeconds: 604800
`
}
