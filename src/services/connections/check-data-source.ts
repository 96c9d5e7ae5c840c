import type { Context } from '#src/context.ts';
import type { DataSource } from '#src/db/schema/index.ts';
import { DomainError } from '#src/errors.ts';
import { checkSource } from '#src/sources/registry.ts';
import { memoryTokens } from '#src/sources/tokens.ts';
import { openComponent } from './data-sources.ts';
import type { ConnectionCheck } from './validate-integrations.ts';

/** Whether files could be read from a data source as it is set now; if not, why. Nothing of it is kept. */
export async function checkDataSource(ctx: Context, source: DataSource): Promise<ConnectionCheck> {
  try {
    await checkSource(source.sourceType, await openComponent(ctx, source), {
      tokens: memoryTokens(),
      log: ctx.log,
      limits: ctx.settings,
    });
    return { success: true, message: `${source.name} can be read.` };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { success: false, message: error.message };
  }
}
