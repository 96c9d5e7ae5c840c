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
  /** Maximum duration of a response in seconds. Defaults to 15 minutes. */
  TOTAL_SECONDS?: number;
  /** Maximum number of pages per listing. Defaults to 100,000. */
  MOST_PAGES?: number;
}

export interface SourceDeps {
  /**
   * Creates an HTTP client for the named system. Its errors are SourceErrors and never contain secrets from
   * the settings.
   */
  http(rules: Pick<UpstreamRules, 'name' | 'redirects' | 'totalSeconds' | 'maxBytes'>): UpstreamHttp;
  tokens: Tokens;
  log: Logger;
  limits: SourceLimits;
}

/** Driver of a source type. Its settings must be validated and decrypted by the caller. */
export interface SourceDriver<Kind extends string = string, Settings = z.ZodObject> extends KindDescription {
  readonly kind: Kind;
  /** Schema of the settings. It also marks which fields are secret. */
  readonly settings: Settings;
  readonly capabilities: SourceCapabilities;
  /** Opens a source without any I/O. The source is used for a whole sync run. */
  open(settings: Record<string, unknown>, deps: SourceDeps): Source;
  /** Verifies the settings. Rejects with a SourceError that names the wrong setting. */
  check(settings: Record<string, unknown>, deps: SourceDeps): Promise<void>;
}

interface Given<Kind extends string, Shape extends z.ZodRawShape> extends KindDescription {
  kind: Kind;
  /** Settings fields of this type. They extend or override the common fields. */
  fields: Shape;
}

/** Warning for source types that ignore `supports_access_control`. */
const UNREAD = 'Nothing is read about who may see an entry, unless another field asks for it.';

type Common = {
  class_name: ReturnType<typeof field.text>;
  supports_access_control: ReturnType<typeof field.flagOr>;
};

/** The common fields, overridden and extended by the fields of the type. */
type Full<Shape extends z.ZodRawShape> = z.ZodObject<Omit<Common, keyof Shape> & Shape, z.core.$loose>;

interface DriverPart<Shape extends z.ZodRawShape> {
  capabilities: SourceCapabilities;
  open(settings: z.infer<z.ZodObject<Shape, z.core.$loose>>, deps: SourceDeps): Source;
  check(settings: z.infer<z.ZodObject<Shape, z.core.$loose>>, deps: SourceDeps): Promise<void>;
}

/** Defines a source type: its settings, capabilities and driver. */
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
