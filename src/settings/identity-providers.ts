import { z } from 'zod';

const domain = z
  .string()
  .regex(/^(\*|[a-z\d-]+(\.[a-z\d-]+)+)$/, 'must be a domain in lower case such as example.com, or *');
const roleName = z.enum(['admin', 'member', 'viewer']);
const claimValues = z.array(z.string().min(1)).min(1);

/** OpenID Connect provider with which members sign in, as OIDC_PROVIDERS defines it. */
const providerSchema = z
  .strictObject({
    /** Name on the button of the sign-in page. */
    name: z.string().min(1).max(64),
    /** Issuer exactly as the provider's discovery document names it. */
    issuer: z.url({ protocol: /^https?$/ }),
    client_id: z.string().min(1),
    /** Absent for a public client, which relies on PKCE alone. */
    client_secret: z.string().min(1).optional(),
    scopes: z
      .string()
      .regex(/(^| )openid( |$)/, 'must contain openid')
      .default('openid email profile'),
    /** Organization that accounts of the provider sign in to. Defaults to the first organization. */
    organization_id: z.uuid().optional(),
    /** Domains of verified e-mail addresses that may sign in. `*` stands for every domain. */
    email_domains: z.array(domain).min(1).optional(),
    /** `invited` lets in only members and invited addresses. `members` makes every allowed account a member. */
    create: z.enum(['invited', 'members']).default('invited'),
    /** Role of members that are created, and of accounts to which no entry of `roles` applies. */
    role: roleName.default('member'),
    /** Claim with the groups or roles of an account. Dots lead into objects, as in `realm_access.roles`. */
    role_claim: z.string().min(1).optional(),
    /** Values of the claim that give each role. */
    roles: z.partialRecord(roleName, claimValues).optional(),
  })
  .refine(({ create, email_domains }) => create === 'invited' || email_domains !== undefined, {
    path: ['email_domains'],
    message: 'is required if create is members; use ["*"] to let in every account of the provider',
  })
  .refine(({ role_claim, roles }) => (role_claim === undefined) === (roles === undefined), {
    path: ['roles'],
    message: 'and role_claim are only valid together',
  });

const providersSchema = z.record(
  z.string().regex(/^[a-z\d-]{1,32}$/, 'an id may contain lower case letters, digits and dashes'),
  providerSchema,
);

export type IdentityProvider = z.infer<typeof providerSchema>;

/**
 * Parses OIDC_PROVIDERS, which maps ids to providers as JSON. Returns an empty object if it is not set, and the
 * problems if it is invalid. A problem never quotes a value. Plain http is accepted only if `allowsHttp` is true,
 * because tokens and keys could be replaced on the way.
 */
export function parseIdentityProviders(
  text: string | undefined,
  allowsHttp: boolean,
): { providers: Record<string, IdentityProvider>; problems: string[] } {
  if (!text) return { providers: {}, problems: [] };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { providers: {}, problems: ['must be JSON'] };
  }
  const { data, error } = providersSchema.safeParse(json);
  if (error) {
    return {
      providers: {},
      problems: error.issues.map(({ path, message }) => `${path.join('.')} ${message}`),
    };
  }
  const problems = Object.entries(data)
    .filter(([, { issuer }]) => !allowsHttp && issuer.startsWith('http:'))
    .map(([id]) => `${id}.issuer must be an https URL unless ALLOW_PRIVATE_ADDRESSES is set`);
  return { providers: data, problems };
}
