import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import type { SinkCapabilities, SinkDeps, SinkStore } from '#src/ports/sink.ts';
import type { IndexDeps } from './managed/index-deps.ts';

type ClassName = ReturnType<typeof field.text>;
/** A kind's settings as clients send them: its own fields, those that are secret among them, and `class_name`. */
type SettingsOf<Shape extends z.ZodRawShape> = z.ZodObject<{ class_name: ClassName } & Shape, z.core.$loose>;

/** A kind of store that this installation can write to and query. */
export interface SinkDriver<
  Kind extends string = string,
  Settings extends z.ZodObject = z.ZodObject,
  Deps extends SinkDeps = SinkDeps,
  OpenDeps extends Deps & { indexId: string } = Deps & IndexDeps,
> {
  readonly kind: Kind;
  /** What clients send; which fields are secret is part of it. */
  readonly settings: Settings;
  readonly capabilities: SinkCapabilities;
  /**
   * The settings that say where the data are. While they stay, other settings (keys, retries) may change under an
   * index; when they change, the index is built anew at the new place.
   */
  location(settings: z.output<Settings>): unknown[];
  /** Asks nothing of the store yet. */
  open(settings: z.output<Settings>, deps: OpenDeps): SinkStore;
  /**
   * Resolves when the settings work: the store answers, lets points be written, and what is there of the name fits, for
   * vectors of `dimension` where that is known. Changes nothing. Rejects with Invalid naming the field that is wrong, or
   * with a SinkError that says what the store refused.
   */
  check(settings: z.output<Settings>, deps: Deps, dimension?: number): Promise<void>;
}

interface Given<Kind extends string, Shape extends z.ZodRawShape> {
  kind: Kind;
  /** Those besides `class_name`. */
  fields: Shape;
}

type DriverPart<
  Kind extends string,
  Settings extends z.ZodObject,
  Deps extends SinkDeps,
  OpenDeps extends Deps & { indexId: string },
> = Omit<SinkDriver<Kind, Settings, Deps, OpenDeps>, 'kind' | 'settings'>;

/** A kind of store: what it is told is checked, sealed, masked and described by its fields. */
export function defineSink<
  const Kind extends string,
  Shape extends z.ZodRawShape,
  Deps extends SinkDeps = SinkDeps,
  OpenDeps extends Deps & { indexId: string } = Deps & { indexId: string },
>(
  given: Given<Kind, Shape> & DriverPart<Kind, SettingsOf<Shape>, Deps, OpenDeps>,
): SinkDriver<Kind, SettingsOf<Shape>, Deps, OpenDeps> {
  const { fields, ...driver } = given;
  return { ...driver, settings: settingsOf(fields) };
}

function settingsOf<Shape extends z.ZodRawShape>(fields: Shape): SettingsOf<Shape> {
  return z.looseObject({ class_name: field.text(), ...fields }) as SettingsOf<Shape>;
}
