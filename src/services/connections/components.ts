import type { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import { Invalid } from '#src/lib/errors.ts';
import {
  type Component,
  type ComponentForms,
  type ComponentRegistry,
  componentSchema,
  freeFormComponent,
  parseComponent,
} from '#src/lib/schema/component.ts';
import { isRecord } from '#src/lib/schema/zod-walk.ts';
import { keyRingOf } from '#src/services/secrets/key-ring.ts';
import { refusePrivateAddresses } from '#src/services/secrets/private-addresses.ts';
import { keepMasked, maskSecrets, openSecrets, sealSecrets } from '#src/services/secrets/secret-fields.ts';

type Loc = (string | number)[];

const LOC: Loc = ['body', 'component'];

/** A component on its way between a client, its row, and the driver that uses it. */
export interface ComponentStore {
  /**
   * Checked against its kind, secrets encrypted; masked or absent ones stay what they are in `stored`, if it
   * is of the same shape. `place` names the row and column it will be in.
   */
  seal(kind: string, value: unknown, stored: Component, place: string, loc?: Loc): Promise<Component>;
  /** Encrypted for another row. It was checked when it came in, and the rules may have changed since. */
  sealAgain(kind: string, component: Component, place: string): Promise<Component>;
  /**
   * What an update makes of a row's component. A change of kind replaces it, and rejects with `Invalid` without a
   * new one: the old one's settings and secrets mean nothing to the new kind.
   */
  update(
    stored: { kind: string; component: Component },
    changes: { kind: string; component?: unknown },
    place: string,
  ): Promise<Component>;
  /** As a driver needs it. */
  open(component: Component, place: string): Promise<Component>;
  /** As a client may see it. */
  mask(kind: string, component: Component): Component;
}

/** `freeForm`: whether a component without any member of its kind is kept. */
export function componentStore(
  ctx: Context,
  registry: ComponentRegistry,
  { freeForm }: ComponentForms,
): ComponentStore {
  const ring = keyRingOf(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);
  const schemaOf = (kind: string, component: Component): z.ZodType =>
    componentSchema(registry, kind, component);
  const store: ComponentStore = {
    async seal(kind, value, stored, place, loc = LOC) {
      const schema = isRecord(value) ? schemaOf(kind, value) : freeFormComponent;
      const opened = await store.open(stored, place);
      // Another shape's secrets mean nothing to this one.
      const base = schemaOf(kind, opened) === schema ? opened : {};
      const kept = keepMasked(schema, value as Component, base, loc);
      const checked = parseComponent(registry, kind, kept, { loc, stored: base, freeForm });
      refusePrivateAddresses(ctx, schema, value, loc);
      const shape = checked.freeForm ? freeFormComponent : registry[kind]!;
      return sealSecrets(shape, checked.component, ring, place);
    },
    sealAgain: (kind, component, place) => sealSecrets(schemaOf(kind, component), component, ring, place),
    async update(stored, changes, place) {
      const sameKind = changes.kind === stored.kind;
      const value = changes.component ?? undefined;
      if (value !== undefined)
        return store.seal(changes.kind, value, sameKind ? stored.component : {}, place);
      if (!sameKind) refuseKindAlone(stored.kind, changes.kind, LOC);
      return stored.component;
    },
    open: (component, place) => openSecrets(component, ring, place),
    mask: (kind, component) => maskSecrets(schemaOf(kind, component), component),
  };
  return store;
}

/** The settings of one kind are none of another: a new kind alone would leave a connection without any. */
export function refuseKindAlone(from: string, to: string, loc: Loc): never {
  const msg = `Field required: the settings of ${from} mean nothing to ${to}`;
  throw new Invalid([{ loc, msg, type: 'missing' }]);
}
