import { z } from 'zod';
import { isDescribing, isSecret } from '#src/lib/schema/secret-schema.ts';
import { listCandidates, memberSchemas } from '#src/lib/schema/zod-walk.ts';
import { isCredential, looksSecret, namesAddress } from '#src/lib/secrets/secret-names.ts';

/** Text that clients see instead of a secret. */
export const MASK = '********';

/** Position within a value: the schemas that may describe it, and whether it contains a secret. */
export interface Place {
  schemas: z.ZodType[];
  isSecret: boolean;
  /** True if the position is a map or list in which every text is a secret. */
  isSecretMap: boolean;
  /** True if the position is inside a free-form property whose name suggests a credential. */
  underSecretName: boolean;
  /** True if the position is inside a property whose name suggests an address, so that its texts are URLs. */
  isAddress: boolean;
  /**
   * True if the position is inside a schema, such as a JSON Schema. Property names do not indicate secrets
   * there.
   */
  isDescription: boolean;
}

type Names = Pick<Place, 'underSecretName' | 'isAddress' | 'isDescription'>;

export function createPlace(schema: z.ZodType, value: unknown): Place {
  const names = { underSecretName: false, isAddress: false, isDescription: false };
  return classify(listCandidates(schema, value), value, names);
}

export function stepInto(place: Place, key: string | number, member: unknown): Place {
  const schemas = memberSchemas(place.schemas, key, member);
  const isDescription = place.isDescription || schemas.some(isDescribing);
  const name = isDescription ? '' : String(key);
  return classify(schemas, member, {
    underSecretName: place.underSecretName || (isFreeForm(schemas) && looksSecret(name)),
    isAddress: place.isAddress || namesAddress(name),
    isDescription,
  });
}

export function isSecretHere(place: Place, value: unknown): boolean {
  return classify(place.schemas, value, place).isSecret;
}

function classify(schemas: z.ZodType[], value: unknown, names: Names): Place {
  const { underSecretName, isAddress, isDescription } = names;
  const container = typeof value === 'object' && value !== null;
  const credential = typeof value === 'string' && isFreeForm(schemas) && isCredential(value);
  return {
    schemas,
    isSecret: !container && (underSecretName || credential || schemas.some(isSecret)),
    isSecretMap: container && (underSecretName || schemas.some(holdsOnlySecrets)),
    underSecretName,
    isAddress,
    isDescription,
  };
}

function isFreeForm(schemas: z.ZodType[]): boolean {
  return (
    schemas.length === 0 || schemas.some((each) => each instanceof z.ZodUnknown || each instanceof z.ZodAny)
  );
}

function holdsOnlySecrets(schema: z.ZodType): boolean {
  const inner =
    schema instanceof z.ZodRecord
      ? schema.valueType
      : schema instanceof z.ZodArray
        ? schema.element
        : undefined;
  return inner !== undefined && listCandidates(inner as z.ZodType, undefined).some(isSecret);
}
