import { randomBytes } from 'node:crypto';
import type { SecretName } from './plan.ts';

const base64url = (bytes: number) => randomBytes(bytes).toString('base64url');

const GENERATORS: Record<SecretName, () => string> = {
  SESSION_SECRET: () => base64url(32),
  ENCRYPTION_KEY: () => `k1:${randomBytes(32).toString('base64')}`,
  BOOTSTRAP_API_KEY: () => `slc_${base64url(32)}`,
};

export const generateSecrets = (names: readonly SecretName[]): Partial<Record<SecretName, string>> =>
  Object.fromEntries(names.map((name) => [name, GENERATORS[name]()]));
