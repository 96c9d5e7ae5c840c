import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Settings } from '#src/settings.ts';
import type { UpstreamHttp, UpstreamRules } from '#src/upstream/http.ts';
import type { SourceType } from './kinds.ts';
import type { Source, SourceCapabilities } from './source.ts';
import type { Tokens } from './tokens.ts';

export type SourceLimits = Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES' | 'SILENCE_SECONDS'>;

/** What a reader is given beside its settings. */
export interface SourceDeps {
  /** HTTP to the system of that name, whose errors are SourceErrors and repeat no secret of the settings. */
  http(rules: Pick<UpstreamRules, 'name' | 'redirects' | 'totalSeconds' | 'maxBytes'>): UpstreamHttp;
  tokens: Tokens;
  log: Logger;
  /** Of the installation. */
  limits: SourceLimits;
}

/** All there is to know of a kind of data source: what it is told, and how it is read if it can be. */
export interface SourceDefinition<Kind extends SourceType = SourceType, Settings = z.ZodObject> {
  readonly kind: Kind;
  /** What `settings` is held to; which fields are secret is part of it. */
  readonly settings: Settings;
  /** null: connections of this kind are kept, but this installation cannot read them. */
  readonly reader: SourceReader | null;
}

export type ReadableSource = SourceDefinition & { reader: SourceReader };

export const isReadable = (definition: SourceDefinition): definition is ReadableSource =>
  definition.reader !== null;

/** The reading part, for settings that the caller has validated and whose secrets are opened. */
export interface SourceReader {
  readonly capabilities: SourceCapabilities;
  /** Does no I/O: an opened source is kept for a whole run. */
  open(settings: Record<string, unknown>, deps: SourceDeps): Source;
  /** Resolves when the settings work. Rejects with a SourceError that names what is wrong with them. */
  check(settings: Record<string, unknown>, deps: SourceDeps): Promise<void>;
}

interface Described<Kind extends SourceType, Shape extends z.ZodRawShape> {
  kind: Kind;
  settings: z.ZodObject<Shape, z.core.$loose>;
}

type Common = {
  class_name: ReturnType<typeof field.text>;
  supports_access_control: ReturnType<typeof field.flagOr>;
};

/** What every kind is told, unless it says otherwise, and the kind's own. */
type Full<Shape extends z.ZodRawShape> = z.ZodObject<Omit<Common, keyof Shape> & Shape, z.core.$loose>;

/** A kind that can be configured but not read. User information in addresses is protected as secrets are. */
export function defineSourceSettings<Kind extends SourceType, Shape extends z.ZodRawShape>({
  kind,
  settings,
}: Described<Kind, Shape>): SourceDefinition<Kind, Full<Shape>> {
  const common: Common = {
    class_name: field.text(),
    supports_access_control: field.flagOr(false),
  };
  return { kind, settings: z.looseObject({ ...common, ...settings.shape }) as Full<Shape>, reader: null };
}

/** A kind that can be read. */
export function defineSource<Kind extends SourceType, Shape extends z.ZodRawShape>(
  definition: Described<Kind, Shape> & {
    capabilities: SourceCapabilities;
    open(settings: z.infer<z.ZodObject<Shape, z.core.$loose>>, deps: SourceDeps): Source;
    check(settings: z.infer<z.ZodObject<Shape, z.core.$loose>>, deps: SourceDeps): Promise<void>;
  },
): SourceDefinition<Kind, Full<Shape>> & { reader: SourceReader } {
  const { capabilities, open, check } = definition;
  return { ...defineSourceSettings(definition), reader: { capabilities, open, check } as SourceReader };
}
