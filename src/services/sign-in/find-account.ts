import { and, eq, gt, isNull, ne, or, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { identities, invitations, members, type Role, users } from '#src/db/schema/index.ts';
import { newId } from '#src/lib/ids.ts';
import type { IdentityProvider } from '#src/settings/identity-providers.ts';
import type { Claims } from './provider-client.ts';
import { SignInRefused } from './refusal.ts';

interface Account {
  provider: IdentityProvider;
  organizationId: string;
  claims: Claims;
  /** E-mail address in lower case that the provider has verified. */
  email: string | undefined;
}

/**
 * Returns the user who signs in with an account. A known account is found by issuer and subject. A new account
 * is linked to the member or the invitation with its verified e-mail address, or becomes a member if the
 * provider's settings allow it.
 */
export async function findAccount(
  ctx: Context,
  provider: IdentityProvider,
  organizationId: string,
  claims: Claims,
): Promise<string> {
  const account = { provider, organizationId, claims, email: readVerifiedEmail(claims) };
  requireAllowedDomain(account);
  const userId = (await findLinked(ctx, account)) ?? (await linkNew(ctx, account));
  if (provider.roles) await applyRole(ctx, account, userId);
  return userId;
}

/**
 * Returns the address only if the provider says that it was verified. Microsoft Entra ID says so in `xms_edov`,
 * which is true if the owner of the domain has verified the address.
 */
function readVerifiedEmail({ email, email_verified: isVerified, xms_edov: isOwned }: Claims) {
  const isSure = isVerified === true || (isVerified === undefined && isOwned === true);
  return typeof email === 'string' && isSure ? email.toLowerCase() : undefined;
}

function requireAllowedDomain({ provider, email }: Account): void {
  const domains = provider.email_domains;
  if (!domains || domains.includes('*')) return;
  if (email === undefined) throw new SignInRefused('email_not_verified');
  if (!domains.includes(email.slice(email.lastIndexOf('@') + 1)))
    throw new SignInRefused('domain_not_allowed');
}

async function findLinked(ctx: Context, { provider, organizationId, claims }: Account) {
  const [row] = await ctx.db
    .select({ userId: identities.userId })
    .from(identities)
    .innerJoin(
      members,
      and(eq(members.userId, identities.userId), eq(members.organizationId, organizationId)),
    )
    .where(
      and(
        eq(identities.organizationId, organizationId),
        eq(identities.issuer, provider.issuer),
        eq(identities.subject, claims.sub),
      ),
    );
  return row?.userId;
}

async function linkNew(ctx: Context, account: Account): Promise<string> {
  const { provider, organizationId, claims, email } = account;
  if (email === undefined) throw new SignInRefused('email_not_verified');
  const identity = { organizationId, issuer: provider.issuer, subject: claims.sub };
  const member = await ctx.db.query.members.findFirst({
    where: and(eq(members.organizationId, organizationId), eq(members.email, email)),
  });
  if (member) {
    // An address may be given to another person later. Only the account that was linked first is accepted.
    const { userId } = member;
    const hasOther = await ctx.db.query.identities.findFirst({
      where: and(
        eq(identities.organizationId, organizationId),
        eq(identities.issuer, provider.issuer),
        eq(identities.userId, userId),
      ),
    });
    if (hasOther) throw new SignInRefused('account_conflict');
    await ctx.db.insert(identities).values({ ...identity, userId });
    return userId;
  }
  const invitation = await ctx.db.query.invitations.findFirst({
    where: and(
      eq(invitations.organizationId, organizationId),
      eq(invitations.email, email),
      isNull(invitations.acceptedAt),
      gt(invitations.expiresAt, new Date()),
    ),
  });
  if (!invitation && provider.create !== 'members') throw new SignInRefused('not_invited');
  const userId = newId();
  const role = invitation?.role ?? chooseRole(account);
  await ctx.db.batch([
    ctx.db.insert(users).values({ id: userId }),
    ctx.db.insert(members).values({ organizationId, userId, name: chooseName(claims, email), email, role }),
    ctx.db.insert(identities).values({ ...identity, userId }),
    ctx.db
      .update(invitations)
      .set({ acceptedAt: new Date() })
      .where(eq(invitations.id, invitation?.id ?? '')),
  ]);
  return userId;
}

const MAX_NAME = 255;

const chooseName = ({ name }: Claims, email: string): string =>
  typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, MAX_NAME) : email;

/** Returns the highest role that the claims give, or the provider's default role. */
export function chooseRole({ provider, claims }: Pick<Account, 'provider' | 'claims'>): Role {
  const held = provider.role_claim ? readClaim(claims, provider.role_claim) : [];
  const given = (['admin', 'member', 'viewer'] as const).find((role) =>
    provider.roles?.[role]?.some((value) => held.includes(value)),
  );
  return given ?? provider.role;
}

/** Returns the texts of a claim. Dots lead into objects, unless a claim has the whole name. */
function readClaim(claims: Claims, name: string): string[] {
  let value: unknown = claims[name];
  if (value === undefined) {
    value = name
      .split('.')
      .reduce<unknown>(
        (inner, part) =>
          typeof inner === 'object' && inner !== null && Object.hasOwn(inner, part)
            ? (inner as Record<string, unknown>)[part]
            : undefined,
        claims,
      );
  }
  return [value].flat().filter((each) => typeof each === 'string');
}

/** Gives a member the role of the claims. The last admin of an organization stays an admin. */
async function applyRole(ctx: Context, account: Account, userId: string): Promise<void> {
  const { organizationId } = account;
  const role = chooseRole(account);
  const otherAdmin = sql`exists (select 1 from members other where other.organization_id = ${organizationId}
    and other.user_id <> ${userId} and other.role = 'admin')`;
  await ctx.db
    .update(members)
    .set({ role })
    .where(
      and(
        eq(members.organizationId, organizationId),
        eq(members.userId, userId),
        ne(members.role, role),
        role === 'admin' ? undefined : or(ne(members.role, 'admin'), otherAdmin),
      ),
    );
}
