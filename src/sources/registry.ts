import { z } from 'zod';
import { componentInput, componentSchema, freeFormComponent } from '#src/lib/schema/component.ts';
import { indexByKind } from '#src/ports/kind.ts';
import { SourceError } from '#src/ports/source.ts';
import { azureBlobStorage } from './azure-blob-storage/azure-blob-storage.ts';
import { box } from './box/box.ts';
import { confluence } from './confluence/confluence.ts';
import { googleDrive } from './google-drive/google-drive.ts';
import { jira } from './jira/jira.ts';
import { jiraV2 } from './jira/jira-v2.ts';
import { notion } from './notion/notion.ts';
import { oneDrive } from './onedrive/onedrive.ts';
import { s3 } from './s3/s3.ts';
import type { SourceDriver } from './shared/define.ts';
import { checkWithDriver, type OpenedSource, type OpeningDeps, openWithDriver } from './shared/open.ts';
import { sharePoint } from './sharepoint/sharepoint.ts';
import { slack } from './slack/slack.ts';

export const sources = indexByKind([
  azureBlobStorage,
  box,
  confluence,
  googleDrive,
  jira,
  jiraV2,
  oneDrive,
  sharePoint,
  notion,
  s3,
  slack,
]);
export type SourceType = keyof typeof sources;

export const SOURCE_TYPES = Object.keys(sources) as SourceType[];
export const sourceType = z.enum(SOURCE_TYPES);

type SourceComponents = { [Kind in SourceType]: (typeof sources)[Kind]['settings'] };

export const sourceComponents = Object.fromEntries(
  Object.values(sources).map(({ kind, settings }) => [kind, settings]),
) as SourceComponents;

/**
 * Schema of a data source component in requests and responses. `source_type` selects the shape, which
 * `parseComponent` validates.
 */
export const sourceComponentInput = componentInput(sourceComponents, { freeForm: true });

/**
 * Opens a data source. Throws a permanent SourceError if the type is unknown or the component does not match
 * the type's settings.
 */
export function openSource(
  type: string,
  component: Record<string, unknown>,
  deps: OpeningDeps,
): OpenedSource {
  return openWithDriver(getSourceDriver(type, component), component, deps);
}

/** Checks that files can be read with this component. Rejects with a SourceError that gives the reason. */
export async function checkSource(
  type: string,
  component: Record<string, unknown>,
  deps: OpeningDeps,
): Promise<void> {
  await checkWithDriver(getSourceDriver(type, component), component, deps);
}

function getSourceDriver(type: string, component: Record<string, unknown>): SourceDriver {
  if (!Object.hasOwn(sources, type)) {
    const message = `The data source type ${type} is not supported. Supported types: ${SOURCE_TYPES.join(', ')}.`;
    throw new SourceError(message, { retryable: false });
  }
  if (componentSchema(sourceComponents, type, component) === freeFormComponent) {
    const message = `The component does not match the data source type ${type}: it lacks required fields or has none that the type knows.`;
    throw new SourceError(message, { retryable: false });
  }
  return sources[type as SourceType];
}
