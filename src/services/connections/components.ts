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

/** Converts a component between its forms for clients, for storage and for its driver. */
export interface ComponentStore {
  /**
   * Validates a component and encrypts its secrets. Masked or absent secrets keep their value from `stored`,
   * if it has the same shape. `place` names the row and column that will hold it.
   */
  seal(kind: string, value: unknown, stored: Component, place: string, loc?: Loc): Promise<Component>;
  /**
   * Encrypts a validated component for another row. It is not validated again, because the rules may have
   * changed since.
   */
  sealAgain(kind: string, component: Component, place: string): Promise<Component>;
  /**
   * Returns the component after an update. A new kind requires a new component, otherwise `Invalid` is
   * thrown, because settings and secrets of one kind have no meaning for another.
   */
  update(
    stored: { kind: string; component: Component },
    changes: { kind: string; component?: unknown },
    place: string,
  ): Promise<Component>;
  /** Returns the component with decrypted secrets, for its driver. */
  open(component: Component, place: string): Promise<Component>;
  /** Returns the component with masked secrets, for clients. */
  mask(kind: string, component: Component): Component;
}

/** Creates the store of a component. `freeForm` accepts components without any known member. */
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
      // Secrets of another shape are not reused.
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

/** Rejects a change of kind without a new component. */
export function refuseKindAlone(from: string, to: string, loc: Loc): never {
  const msg = `Field required: the settings of ${from} mean nothing to ${to}`;
  throw new Invalid([{ loc, msg, type: 'missing' }]);
}
