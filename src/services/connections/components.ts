import type { z } from 'zod';
import type { Context } from '#src/context.ts';
import {
  type Component,
  type ComponentRegistry,
  componentSchema,
  freeFormComponent,
  parseComponent,
} from '#src/lib/component.ts';
import { isRecord } from '#src/lib/zod-walk.ts';
import { keyRingOf } from '#src/services/secrets/key-ring.ts';
import { keepMasked, maskSecrets, openSecrets, sealSecrets } from '#src/services/secrets/secret-fields.ts';

type Loc = (string | number)[];

/** A component on its way between a client, its row, and the driver that uses it. */
export interface ComponentStore {
  /**
   * Checked against its kind, secrets encrypted; masked or absent ones stay what they are in `stored`, if it
   * is of the same shape. `place` names the row and column it will be in.
   */
  seal(kind: string, value: unknown, stored: Component, place: string, loc?: Loc): Promise<Component>;
  /**
   * What an update makes of a row's component. A change of kind replaces it: the old one's secrets mean
   * nothing to the new kind.
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

export function componentStore(ctx: Context, registry: ComponentRegistry): ComponentStore {
  const ring = keyRingOf(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);
  const schemaOf = (kind: string, component: Component): z.ZodType =>
    componentSchema(registry, kind, component);
  const store: ComponentStore = {
    async seal(kind, value, stored, place, loc = ['body', 'component']) {
      const schema = isRecord(value) ? schemaOf(kind, value) : freeFormComponent;
      const opened = await store.open(stored, place);
      // Another shape's secrets mean nothing to this one.
      const base = schemaOf(kind, opened) === schema ? opened : {};
      const kept = keepMasked(schema, value as Component, base, loc);
      const { component } = parseComponent(registry, kind, kept, loc);
      return sealSecrets(schema, component, ring, place);
    },
    async update(stored, changes, place) {
      const sameKind = changes.kind === stored.kind;
      const value = changes.component ?? (sameKind ? undefined : {});
      if (value === undefined) return stored.component;
      return store.seal(changes.kind, value, sameKind ? stored.component : {}, place);
    },
    open: (component, place) => openSecrets(component, ring, place),
    mask: (kind, component) => maskSecrets(schemaOf(kind, component), component),
  };
  return store;
}
