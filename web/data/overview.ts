import type { OverviewView } from '../../src/views/overview.js'
import { useRead, type Read } from './read.js'

export type { ChannelSummary, MatrixCell, MatrixPage, OverviewView } from '../../src/views/overview.js'

/** The counts, the stacks that need attention, the channels and the latest activity: one request for all views. */
export function useOverview(): Read<OverviewView> {
  return useRead<OverviewView>('overview')
}
