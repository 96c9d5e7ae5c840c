import type { SinkType } from './define.ts';

/** What people call each kind, in words that name no vendor. */
export const SINK_TITLES: Readonly<Record<SinkType, string>> = {
  VENDOR_A_DB: 'Wide-column database store',
  VENDOR_B_SEARCH: 'Cloud search service',
  VENDOR_C: 'Distributed vector store',
  VENDOR_D: 'Document database store',
  VENDOR_E: 'Managed vector store',
  VENDOR_F: 'Relational database vector store',
  VENDOR_G: 'Open-source vector store',
};
