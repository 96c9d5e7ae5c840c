import { type Source, type SourceCapabilities, SourceError } from '#src/ports/source.ts';
import { upstream } from '#src/upstream/http.ts';
import type { SourceDeps, SourceDriver } from './define.ts';
import { secretsOf } from './secrets.ts';
import { soundSource } from './sound.ts';

export interface OpenedSource {
  source: Source;
  capabilities: SourceCapabilities;
}

export type OpeningDeps = Omit<SourceDeps, 'http'>;

/** Opens a source from a component that the caller has validated and decrypted. */
export function openDefined(
  { title, open, settings, capabilities }: SourceDriver,
  component: Record<string, unknown>,
  deps: OpeningDeps,
): OpenedSource {
  const source = open(component, withHttp(secretsOf(settings, component), deps));
  const sound = soundSource(source, { name: title, mostPages: deps.limits.MOST_PAGES });
  return { source: sound, capabilities };
}

export async function checkDefined(
  { check, settings }: SourceDriver,
  component: Record<string, unknown>,
  deps: OpeningDeps,
): Promise<void> {
  await check(component, withHttp(secretsOf(settings, component), deps));
}

/** Maximum duration of a response in seconds, even if bytes arrive steadily. */
const TOTAL_SECONDS = 15 * 60;

/** Adds HTTP clients to the dependencies. Error messages never contain the given `secrets`. */
export function withHttp(secrets: string[], deps: OpeningDeps): SourceDeps {
  const { limits } = deps;
  return {
    ...deps,
    http: (rules) =>
      upstream({
        ...rules,
        totalSeconds: Math.min(rules.totalSeconds ?? TOTAL_SECONDS, limits.TOTAL_SECONDS ?? TOTAL_SECONDS),
        settings: limits,
        silenceSeconds: limits.SILENCE_SECONDS,
        secrets,
        error: (message, options) => new SourceError(message, options),
      }),
  };
}
