import { describe, expect, test } from 'vitest'
import { formatProblem } from '../../../src/model/problem.js'
import { build, fixture } from '../read-texts.js'

describe('a package in a folder', () => {
  test('is read from YAML and JSON files, without hidden and ignored ones', () => {
    const { value, problems } = build(fixture('ops-dashboards'))
    expect(problems).toEqual([])
    expect(value.resources.map(({ address }) => address)).toEqual([
      'Bucket/raw',
      'Label/prod',
      'LabelMapping/Bucket/raw/prod',
      'Bucket/hourly',
      'LabelMapping/Bucket/hourly/prod',
      'Label/ops',
      'LabelMapping/Bucket/hourly/ops',
      'Task/downsample',
      'Dashboard/overview',
      'LabelMapping/Dashboard/overview/ops',
    ])
  })

  test('with an undeclared label keeps the valid resources, and reports the place of the reference', () => {
    const { value, problems } = build(fixture('two-buckets-one-missing-label'))
    expect(problems.map(formatProblem)).toEqual([
      'buckets.yml:23: spec.associations[1]: Bucket/hourly needs Label/blue, which this package does not declare.',
    ])
    expect([...value.byAddress.keys()]).toEqual([
      'Label/red',
      'Bucket/raw',
      'LabelMapping/Bucket/raw/red',
      'Bucket/hourly',
      'LabelMapping/Bucket/hourly/red',
    ])
  })

  test('with a syntax error in one file still reports problems of another', () => {
    const { problems } = build(fixture('merge-conflict'))
    expect(problems.map(formatProblem)).toEqual([
      expect.stringMatching(/^buckets\.yml:\d+:\d+ cannot be read: .+\.$/),
      'labels.yml:4: metadata.name: Label/Red_Label: metadata.name "Red_Label" is not a DNS label.',
    ])
    expect(problems[1]?.hint).toContain('red-label')
  })

  test('reports all errors at once, each with its field and line', () => {
    expect(build(fixture('every-rule-once')).problems.map(formatProblem)).toMatchInlineSnapshot(`
      [
        "a-labels.yml:13: spec.name: Label/short: the name "x" has fewer than 2 characters.",
        "a-labels.yml:18: metadata.name: Label/red is declared twice; the first is at a-labels.yml:1.",
        "a-labels.yml:25: spec.name: Label/again has the name " RED ", which is already used by Label/red at a-labels.yml:1.",
        "a-labels.yml:30: metadata.name: Label/Not_A_Label: metadata.name "Not_A_Label" is not a DNS label.",
        "b-things.yml:6: spec.name: Bucket/raw: the bucket name "_system" begins with _, like those of system buckets.",
        "b-things.yml:9: spec.retentionRules[0].type: Bucket/raw: the type of the retention rule is "Expire".",
        "b-things.yml:10: spec.retentionRules[0].everySeconds: Bucket/raw: the retention of 60 seconds is too short.",
        "b-things.yml:7: warning: spec.descriptin: Bucket/raw: there is no field "descriptin"; it is ignored.",
        "b-things.yml:18: spec.associations[3]: Bucket/raw: the label "red" is associated twice, first at associations[0] (b-things.yml:12).",
        "b-things.yml:20: spec.associations[4].kind: Bucket/raw: there is no kind "Lable".",
        "b-things.yml:16: spec.associations[2]: Bucket/raw needs Label/again, which has an invalid name.",
        "b-things.yml:28: spec.name: Dashboard/ops: the name "o" has fewer than 2 characters.",
        "b-things.yml:30: spec.charts[0].kind: Dashboard/ops: there is no chart of kind "pie".",
        "b-things.yml:33: spec.charts[1].width: Dashboard/ops: the width of a chart is 0.",
        "b-things.yml:33: spec.charts[1].height: Dashboard/ops: the height of a chart is 0.",
        "b-things.yml:35: spec.charts[1].colors[0].hex: Dashboard/ops: a color has no hex.",
        "b-things.yml:33: spec.charts[1].axes: Dashboard/ops: there is no axis x.",
        "b-things.yml:33: spec.charts[1].axes: Dashboard/ops: there is no axis y.",
        "b-things.yml:33: spec.charts[1].geom: Dashboard/ops: there is no geom.",
        "b-things.yml:41: spec.every: Task/hourly: every or cron is required.",
        "b-things.yml:41: spec.cron: Task/hourly: every or cron is required.",
        "b-things.yml:41: spec.query: Task/hourly: there is no query.",
        "b-things.yml:42: spec.status: Task/hourly: the status "on" is not one of active, inactive.",
        "b-things.yml:45: kind: Check is a family of kinds, not a kind.",
        "b-things.yml:49: apiVersion: There is no apiVersion "influxdata.com/v3" of Bucket.",
        "b-things.yml:54: apiVersion: The Bucket has no apiVersion.",
      ]
    `)
  })
})
