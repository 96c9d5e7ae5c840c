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
import { parseKeyRing } from '#src/services/secrets/key-ring.ts';
import { rejectPrivateAddresses } from '#src/services/secrets/private-addresses.ts';
import {
  maskSecrets,
  openSecrets,
  restoreSecrets,
  sealSecrets,
} from '#src/services/secrets/secret-fields.ts';

type Loc = (string | number)[];

const LOC: Loc = ['body', 'component'];

/**
 * Converts the component of a data source, data sink or embedding model between its forms: masked for
 * clients, encrypted for storage, and decrypted for its driver.
 */
export interface ComponentStore {
  /**
   * Validates the settings of a connection and encrypts their secrets, bound to `place`. Masked and absent
   * secrets keep their values from `stored`, if it has the same schema.
   */
  seal(kind: string, value: unknown, stored: Component, place: string, loc?: Loc): Promise<Component>;
  /**
   * Encrypts the secrets of stored settings for another row. The settings are not validated again, because
   * the rules may have changed since they were stored.
   */
  sealAgain(kind: string, component: Component, place: string): Promise<Component>;
  /**
   * Returns the settings of a connection after an update. Throws `Invalid` if the kind changes without new
   * settings, because each kind has its own settings.
   */
  update(
    stored: { kind: string; component: Component },
    changes: { kind: string; component?: unknown },
    place: string,
  ): Promise<Component>;
  open(component: Component, place: string): Promise<Component>;
  mask(kind: string, component: Component): Component;
}

/**
 * Creates a store for the settings of one type of connection. With `freeForm`, settings without any known
 * field are accepted.
 */
export function componentStore(
  ctx: Context,
  registry: ComponentRegistry,
  { freeForm }: ComponentForms,
): ComponentStore {
  const ring = parseKeyRing(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);
  const getSchema = (kind: string, component: Component): z.ZodType =>
    componentSchema(registry, kind, component);
  const store: ComponentStore = {
    async seal(kind, value, stored, place, loc = LOC) {
      const schema = isRecord(value) ? getSchema(kind, value) : freeFormComponent;
      const opened = await store.open(stored, place);
      // Stored secrets are reused only if the stored settings have the same schema.
      const base = getSchema(kind, opened) === schema ? opened : {};
      const kept = restoreSecrets(schema, value as Component, base, loc);
      const checked = parseComponent(registry, kind, kept, { loc, stored: base, freeForm });
      rejectPrivateAddresses(ctx, schema, value, loc);
      const shape = checked.freeForm ? freeFormComponent : registry[kind]!;
      return sealSecrets(shape, checked.component, ring, place);
    },
    sealAgain: (kind, component, place) => sealSecrets(getSchema(kind, component), component, ring, place),
    async update(stored, changes, place) {
      const sameKind = changes.kind === stored.kind;
      const value = changes.component ?? undefined;
      if (value !== undefined)
        return store.seal(changes.kind, value, sameKind ? stored.component : {}, place);
      if (!sameKind) rejectKindChange(stored.kind, changes.kind, LOC);
      return stored.component;
    },
    open: (component, place) => openSecrets(component, ring, place),
    mask: (kind, component) => maskSecrets(getSchema(kind, component), component),
  };
  return store;
}

/** Throws `Invalid`, because the kind of a connection was changed without new settings. */
export function rejectKindChange(from: string, to: string, loc: Loc): never {
  const msg = `Field required: the settings of ${from} cannot be used for ${to}`;
  throw new Invalid([{ loc, msg, type: 'missing' }]);
}
