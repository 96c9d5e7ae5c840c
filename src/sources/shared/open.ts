import { type Source, type SourceCapabilities, SourceError } from '#src/ports/source.ts';
import { createUpstreamHttp } from '#src/upstream/http.ts';
import type { SourceDeps, SourceDriver } from './define.ts';
import { sanitizeSource } from './sanitize-source.ts';
import { listSecretValues } from './secrets.ts';

export interface OpenedSource {
  source: Source;
  capabilities: SourceCapabilities;
}

export type OpeningDeps = Omit<SourceDeps, 'http'>;

/** Opens a data source. The caller must have validated and decrypted its component. */
export function openWithDriver(
  { title, open, settings, capabilities }: SourceDriver,
  component: Record<string, unknown>,
  deps: OpeningDeps,
): OpenedSource {
  const source = open(component, withHttp(listSecretValues(settings, component), deps));
  const sanitized = sanitizeSource(source, { name: title, maxPages: deps.limits.MAX_PAGES });
  return { source: sanitized, capabilities };
}

export async function checkWithDriver(
  { check, settings }: SourceDriver,
  component: Record<string, unknown>,
  deps: OpeningDeps,
): Promise<void> {
  await check(component, withHttp(listSecretValues(settings, component), deps));
}

/** Maximum duration of a response in seconds. The limit applies even if bytes keep arriving. */
const TOTAL_SECONDS = 15 * 60;

/**
 * Adds a function that creates HTTP clients to the dependencies of a data source. Error messages of these
 * clients never contain the given `secrets`.
 */
export function withHttp(secrets: string[], deps: OpeningDeps): SourceDeps {
  const { limits } = deps;
  return {
    ...deps,
    http: (rules) =>
      createUpstreamHttp({
        ...rules,
        totalSeconds: Math.min(rules.totalSeconds ?? TOTAL_SECONDS, limits.TOTAL_SECONDS ?? TOTAL_SECONDS),
        settings: limits,
        silenceSeconds: limits.SILENCE_SECONDS,
        secrets,
        error: (message, options) => new SourceError(message, options),
      }),
  };
}
