import { z } from 'zod';
import type { Logger } from '#src/lib/log.ts';
import { field } from '#src/lib/schema/component.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import type { KindDescription } from '#src/ports/kind.ts';
import type { Source, SourceCapabilities } from '#src/ports/source.ts';
import type { Settings } from '#src/settings/settings.ts';
import type { UpstreamHttp, UpstreamRules } from '#src/upstream/http.ts';
import type { Tokens } from '#src/upstream/tokens.ts';

export interface SourceLimits extends Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES' | 'SILENCE_SECONDS'> {
  /** Longest time in seconds that one answer may take to arrive whole. 15 minutes where it is absent. */
  TOTAL_SECONDS?: number;
  /** Most pages of one listing. 100,000 where it is absent. */
  MOST_PAGES?: number;
}

/** What a reader is given beside its settings. */
export interface SourceDeps {
  /** HTTP to the system of that name, whose errors are SourceErrors and repeat no secret of the settings. */
  http(rules: Pick<UpstreamRules, 'name' | 'redirects' | 'totalSeconds' | 'maxBytes'>): UpstreamHttp;
  tokens: Tokens;
  log: Logger;
  /** Of the installation. */
  limits: SourceLimits;
}

/** A kind that can be read, for settings that the caller has validated and whose secrets are opened. */
export interface SourceDriver<Kind extends string = string, Settings = z.ZodObject> extends KindDescription {
  readonly kind: Kind;
  /** What `settings` is held to; which fields are secret is part of it. */
  readonly settings: Settings;
  readonly capabilities: SourceCapabilities;
  /** Does no I/O: an opened source is kept for a whole run. */
  open(settings: Record<string, unknown>, deps: SourceDeps): Source;
  /** Resolves when the settings work. Rejects with a SourceError that names what is wrong with them. */
  check(settings: Record<string, unknown>, deps: SourceDeps): Promise<void>;
}

interface Given<Kind extends string, Shape extends z.ZodRawShape> extends KindDescription {
  kind: Kind;
  /** Those besides what every kind is told, or instead of it. */
  fields: Shape;
}

/** Of kinds that do not say otherwise. */
const UNREAD = 'Nothing is read about who may see an entry, unless another field asks for it.';

type Common = {
  class_name: ReturnType<typeof field.text>;
  supports_access_control: ReturnType<typeof field.flagOr>;
};

/** What every kind is told, unless it says otherwise, and the kind's own. */
type Full<Shape extends z.ZodRawShape> = z.ZodObject<Omit<Common, keyof Shape> & Shape, z.core.$loose>;

interface DriverPart<Shape extends z.ZodRawShape> {
  capabilities: SourceCapabilities;
  open(settings: z.infer<z.ZodObject<Shape, z.core.$loose>>, deps: SourceDeps): Source;
  check(settings: z.infer<z.ZodObject<Shape, z.core.$loose>>, deps: SourceDeps): Promise<void>;
}

/** A kind with its driver. */
export function defineSource<const Kind extends string, Shape extends z.ZodRawShape>(
  given: Given<Kind, Shape> & DriverPart<Shape>,
): SourceDriver<Kind, Full<Shape>> {
  const { fields, ...driver } = given;
  return { ...driver, settings: settingsOf(fields) } as SourceDriver<Kind, Full<Shape>>;
}

function settingsOf<Shape extends z.ZodRawShape>(fields: Shape): Full<Shape> {
  const common: Common = {
    class_name: field.text(),
    supports_access_control: withoutEffect(field.flagOr(false), (value) =>
      value === true ? UNREAD : undefined,
    ),
  };
  return z.looseObject({ ...common, ...fields }) as Full<Shape>;
}
