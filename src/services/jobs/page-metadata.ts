import type { PageVerification, ReadBy } from '#src/parsing/document.ts';
import type { StoredPage } from '#src/parsing/page-store.ts';
import { needsModel, type Plan } from '#src/reading/plan.ts';

/** How a page was read. */
export interface PageMetadata extends Partial<PageVerification> {
  page_number: number;
  read_by: Omit<ReadBy, 'version'> & { version: string | null };
}

export function metadataOf({ index, readBy, verification }: StoredPage, plan: Plan): PageMetadata {
  return { page_number: index + 1, read_by: readBy ?? byParser(plan), ...verification };
}

/** Of a page that no reader of this service has touched. */
function byParser(plan: Plan): PageMetadata['read_by'] {
  const { mode, chosenBy } = plan;
  const asked = chosenBy ? `${chosenBy} asks for it.` : 'No parameter asks for anything else.';
  if (!needsModel(plan)) return { mode, model: null, version: null, reason: asked };
  const reason = 'No language model was configured for parsing.';
  return { mode: 'layout', model: null, version: null, reason };
}
