import type { Context, TenantContext } from '#src/context/context.ts';
import type { DataSource } from '#src/db/schema/index.ts';
import { DomainError } from '#src/lib/errors.ts';
import { parseComponent } from '#src/lib/schema/component.ts';
import type { SourceEntry } from '#src/ports/source.ts';
import { checkSource, openSource, sourceComponents } from '#src/sources/registry.ts';
import { createMemoryTokens } from '#src/upstream/tokens.ts';
import { getDataSource, type NewDataSource, openComponent } from './data-sources.ts';
import { type ConnectionCheck, failedCheck } from './validate-integrations.ts';

export interface SourceCheck extends ConnectionCheck {
  /** The first files that a sync of the data source would list. */
  sample?: Pick<SourceEntry, 'name' | 'path' | 'size' | 'webUrl'>[];
}

const SAMPLE_SIZE = 10;
/** Maximum number of listing pages read for the sample. An empty folder counts as a page. */
const MAX_PAGES = 5;

/** Checks whether files can be read with the given settings, and lists the first files. Nothing is stored. */
export async function checkDataSource(
  ctx: Context,
  { source_type, component: given }: Pick<NewDataSource, 'source_type' | 'component'>,
): Promise<SourceCheck> {
  const { component } = parseComponent(sourceComponents, source_type, given);
  return testSource(ctx, source_type, component);
}

/** Checks a saved data source in the same way as `checkDataSource`. */
export async function checkSavedDataSource(ctx: TenantContext, id: string): Promise<SourceCheck> {
  const source = await getDataSource(ctx, id);
  return testDataSource(ctx, source);
}

export async function testDataSource(ctx: Context, source: DataSource): Promise<SourceCheck> {
  return testSource(ctx, source.sourceType, await openComponent(ctx, source));
}

async function testSource(
  ctx: Context,
  type: string,
  component: Record<string, unknown>,
): Promise<SourceCheck> {
  const deps = { tokens: createMemoryTokens(), log: ctx.log, limits: ctx.settings };
  try {
    await checkSource(type, component, deps);
    const { source } = openSource(type, component, deps);
    const found: SourceEntry[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < MAX_PAGES && found.length < SAMPLE_SIZE; page++) {
      const listed: Awaited<ReturnType<typeof source.list>> = await source.list(cursor);
      found.push(...listed.entries);
      ({ cursor } = listed);
      if (cursor === null) break;
    }
    const sample = found
      .slice(0, SAMPLE_SIZE)
      .map(({ name, path, size, webUrl }) => ({ name, path, size, webUrl }));
    const message =
      found.length > 0
        ? 'The data source can be read.'
        : 'The data source can be read. The first pages of its listing contain no files.';
    return { success: true, message, sample };
  } catch (error) {
    const failed = failedCheck(error);
    const name =
      error instanceof DomainError && !error.retryable ? findSettingName(type, error.message) : undefined;
    return { ...failed, ...(name !== undefined && !failed.loc && { loc: ['component', name] }) };
  }
}

/**
 * Returns the setting of a data source that an error message names. Text after the first colon comes from the
 * other system and is ignored.
 */
function findSettingName(type: string, message: string): string | undefined {
  const own = message.split(': ', 1)[0]!;
  const names = Object.keys(sourceComponents[type as keyof typeof sourceComponents]?.shape ?? {});
  const words = own.match(/\w+/g) ?? [];
  return words.find((word) => names.includes(word));
}
