import { isVectorizeBinding } from '#src/lib/has-vectorize.ts';
import type { Bindings } from '#src/settings/env.ts';

/** Facts about the platform of this installation, for checks of its limits. */
export interface Platform {
  /** Whether the single-machine server runs the service, instead of Cloudflare or a development server. */
  readonly isOneMachine: boolean;
  /** Bytes of each environment variable and secret, by name. */
  readonly variableSizes: ReadonlyMap<string, number>;
  /** Returns the number of vectors in each bound Vectorize index, by the name of the binding. */
  countVectors(): Promise<Map<string, number>>;
}

export function createPlatform(env: Bindings): Platform {
  return {
    isOneMachine: env.SUPERVISED === 'true',
    get variableSizes() {
      const texts = Object.entries(env).filter((entry): entry is [string, string] => {
        return typeof entry[1] === 'string';
      });
      return new Map(texts.map(([name, text]) => [name, new TextEncoder().encode(text).byteLength]));
    },
    async countVectors() {
      const indexes = Object.entries(env).filter(([name, value]) => isVectorizeBinding(name, value));
      const counts = indexes.map(async ([name, index]) => {
        const { vectorCount } = await (index as unknown as Vectorize).describe();
        return [name, vectorCount] as const;
      });
      return new Map(await Promise.all(counts));
    },
  };
}
