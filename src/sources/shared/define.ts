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
  /** Maximum duration in seconds of a response from the content system. Defaults to 15 minutes. */
  TOTAL_SECONDS?: number;
  /** Maximum number of pages of a data source's listing. Defaults to 100,000. */
  MAX_PAGES?: number;
}

export interface SourceDeps {
  /**
   * Creates an HTTP client for the content system with the given name. Errors of this client are SourceErrors
   * and never contain secrets from the settings.
   */
  http(rules: Pick<UpstreamRules, 'name' | 'redirects' | 'totalSeconds' | 'maxBytes'>): UpstreamHttp;
  tokens: Tokens;
  log: Logger;
  limits: SourceLimits;
}

/**
 * Driver of a data source type. Callers must validate and decrypt the settings before they pass them to its
 * methods.
 */
export interface SourceDriver<Kind extends string = string, Settings = z.ZodObject> extends KindDescription {
  readonly kind: Kind;
  /** Schema of the data source's settings. The schema also marks which fields are secret. */
  readonly settings: Settings;
  readonly capabilities: SourceCapabilities;
  /** Opens a data source without sending any request. The returned source is used for a whole sync run. */
  open(settings: Record<string, unknown>, deps: SourceDeps): Source;
  /** Checks that the settings work. Rejects with a SourceError that names the wrong setting. */
  check(settings: Record<string, unknown>, deps: SourceDeps): Promise<void>;
}

interface SourceDefinition<Kind extends string, Shape extends z.ZodRawShape> extends KindDescription {
  kind: Kind;
  /** Settings fields of the data source type. They extend or override the common fields. */
  fields: Shape;
}

/** Warning for data source types that ignore `supports_access_control`. */
const PERMISSIONS_NOT_READ = 'This data source reads no permissions, unless another field enables that.';

type CommonFields = {
  class_name: ReturnType<typeof field.text>;
  supports_access_control: ReturnType<typeof field.flagOr>;
};

/**
 * Settings schema of a data source type: the common fields, overridden and extended by the type's own fields.
 */
type FullSettings<Shape extends z.ZodRawShape> = z.ZodObject<
  Omit<CommonFields, keyof Shape> & Shape,
  z.core.$loose
>;

interface DriverPart<Shape extends z.ZodRawShape> {
  capabilities: SourceCapabilities;
  open(settings: z.infer<z.ZodObject<Shape, z.core.$loose>>, deps: SourceDeps): Source;
  check(settings: z.infer<z.ZodObject<Shape, z.core.$loose>>, deps: SourceDeps): Promise<void>;
}

export function defineSource<const Kind extends string, Shape extends z.ZodRawShape>(
  given: SourceDefinition<Kind, Shape> & DriverPart<Shape>,
): SourceDriver<Kind, FullSettings<Shape>> {
  const { fields, ...driver } = given;
  return { ...driver, settings: buildSettingsSchema(fields) } as SourceDriver<Kind, FullSettings<Shape>>;
}

function buildSettingsSchema<Shape extends z.ZodRawShape>(fields: Shape): FullSettings<Shape> {
  const common: CommonFields = {
    class_name: field.text(),
    supports_access_control: withoutEffect(field.flagOr(false), (value) =>
      value === true ? PERMISSIONS_NOT_READ : undefined,
    ),
  };
  return z.looseObject({ ...common, ...fields }) as FullSettings<Shape>;
}
