import { and, eq, gt, isNull, ne, or, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import {
  apiKeys,
  connectedApplications,
  identities,
  identitySessions,
  invitations,
  type Membership,
  members,
  type Role,
  users,
} from '#src/db/schema/index.ts';
import { newId } from '#src/lib/ids.ts';
import {
  deleteInvitationsUnlessAdmin,
  deleteOpenInvitations,
} from '#src/services/tenancy/open-invitations.ts';
import type { IdentityProvider } from '#src/settings/identity-providers.ts';
import type { Claims } from './provider-client.ts';
import { SignInRefused } from './refusal.ts';

/** Change of a member that a sign-in causes, named like the operation that makes the same change. */
export type AccountChange = 'addMember' | 'changeMemberRole' | 'linkIdentity';

interface SignIn {
  provider: IdentityProvider;
  organizationId: string;
  claims: Claims;
  /** Records a change of a member in the audit log. */
  record: (change: AccountChange, userId: string) => Promise<void>;
}

interface Account extends SignIn {
  /** E-mail address in lower case that the provider has verified. */
  email: string | undefined;
}

/**
 * Returns the user who signs in with an account. A known account is found by issuer and subject. A new account
 * is linked to the member or the invitation with its verified e-mail address, or becomes a member if the
 * provider's settings allow it.
 */
export async function findAccount(ctx: Context, signIn: SignIn): Promise<string> {
  const account = { ...signIn, email: readVerifiedEmail(signIn.claims) };
  requireAllowedDomain(account);
  const userId = (await findLinked(ctx, account)) ?? (await linkNew(ctx, account));
  if (signIn.provider.roles) await applyRole(ctx, account, userId);
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
  if (member) return linkMember(ctx, account, member);
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
  await account.record('addMember', userId);
  return userId;
}

/**
 * Links an account to the member with its address. If the member joined with a link, whoever opened the link first
 * may be someone else. Their keys, sessions and open invitations are deleted, so that only the owner of the address
 * acts as this member from then on.
 */
async function linkMember(
  ctx: Context,
  { provider, organizationId, claims, record }: Account,
  { userId, joinedByLink }: Membership,
): Promise<string> {
  const ofUser = <
    Table extends typeof identities | typeof identitySessions | typeof apiKeys | typeof connectedApplications,
  >(
    table: Table,
  ) => and(eq(table.organizationId, organizationId), eq(table.userId, userId));
  // An address may be given to another person later. Only the account that was linked first is accepted.
  const linked = await ctx.db.query.identities.findFirst({ where: ofUser(identities) });
  if (linked) throw new SignInRefused('account_conflict');
  const link = ctx.db
    .insert(identities)
    .values({ organizationId, issuer: provider.issuer, subject: claims.sub, userId });
  if (joinedByLink) {
    await ctx.db.batch([
      link,
      ctx.db.delete(apiKeys).where(ofUser(apiKeys)),
      ctx.db.delete(identitySessions).where(ofUser(identitySessions)),
      ctx.db.delete(connectedApplications).where(ofUser(connectedApplications)),
      deleteOpenInvitations(ctx, organizationId, userId),
      ctx.db
        .update(members)
        .set({ joinedByLink: false })
        .where(and(eq(members.organizationId, organizationId), eq(members.userId, userId))),
    ]);
  } else await link;
  await record('linkIdentity', userId);
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
  const [{ meta }] = await ctx.db.batch([
    ctx.db
      .update(members)
      .set({ role })
      .where(
        and(
          eq(members.organizationId, organizationId),
          eq(members.userId, userId),
          ne(members.role, role),
          role === 'admin' ? undefined : or(ne(members.role, 'admin'), otherAdmin),
        ),
      ),
    deleteInvitationsUnlessAdmin(ctx, organizationId, userId),
  ]);
  if (meta.changes > 0) await account.record('changeMemberRole', userId);
}
