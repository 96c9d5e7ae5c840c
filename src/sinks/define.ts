import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import type { SinkCapabilities, SinkDeps, SinkStore } from '#src/ports/sink.ts';
import type { SinkIndexDeps } from './managed/index-deps.ts';

type ClassName = ReturnType<typeof field.text>;
/**
 * Schema of a data sink's settings as clients send them. It contains the fields of the sink's kind and
 * `class_name`.
 */
type SettingsSchema<Shape extends z.ZodRawShape> = z.ZodObject<
  { class_name: ClassName } & Shape,
  z.core.$loose
>;

/** Driver of one kind of data sink, which can write to it and query it. */
export interface SinkDriver<
  Kind extends string = string,
  Settings extends z.ZodObject = z.ZodObject,
  Deps extends SinkDeps = SinkDeps,
  OpenDeps extends Deps & { indexId: string } = Deps & SinkIndexDeps,
> {
  readonly kind: Kind;
  readonly settings: Settings;
  readonly capabilities: SinkCapabilities;
  /**
   * Returns the settings that determine where the data is stored. If they change, the index is rebuilt at the
   * new location. Changes of other settings, such as keys, need no rebuild.
   */
  location(settings: z.output<Settings>): unknown[];
  open(settings: z.output<Settings>, deps: OpenDeps): SinkStore;
  /**
   * Checks the settings without changing anything in the store. Resolves if the store accepts writes and can
   * hold vectors of `dimension`, which may be unknown. Rejects with Invalid, which names the wrong field, or
   * with a SinkError that contains the store's reason.
   */
  check(settings: z.output<Settings>, deps: Deps, dimension?: number): Promise<void>;
}

interface SinkDefinition<Kind extends string, Shape extends z.ZodRawShape> {
  kind: Kind;
  fields: Shape;
}

type DriverPart<
  Kind extends string,
  Settings extends z.ZodObject,
  Deps extends SinkDeps,
  OpenDeps extends Deps & { indexId: string },
> = Omit<SinkDriver<Kind, Settings, Deps, OpenDeps>, 'kind' | 'settings'>;

/**
 * Defines a kind of data sink. Its fields determine how settings are validated, encrypted, masked and
 * documented.
 */
export function defineSink<
  const Kind extends string,
  Shape extends z.ZodRawShape,
  Deps extends SinkDeps = SinkDeps,
  OpenDeps extends Deps & { indexId: string } = Deps & { indexId: string },
>(
  given: SinkDefinition<Kind, Shape> & DriverPart<Kind, SettingsSchema<Shape>, Deps, OpenDeps>,
): SinkDriver<Kind, SettingsSchema<Shape>, Deps, OpenDeps> {
  const { fields, ...driver } = given;
  return { ...driver, settings: buildSettingsSchema(fields) };
}

function buildSettingsSchema<Shape extends z.ZodRawShape>(fields: Shape): SettingsSchema<Shape> {
  return z.looseObject({ class_name: field.text(), ...fields }) as SettingsSchema<Shape>;
}
