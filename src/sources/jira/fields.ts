import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { parseExpansions } from './settings.ts';

const isBasic = ({ authentication_mechanism: given }: Record<string, unknown>) =>
  typeof given === 'string' && given.trim().toLowerCase() === 'basic';

/** Connection settings shared by both Jira source types. */
export const connectionFields = {
  authentication_mechanism: z
    .string()
    .describe('`basic` (email and api_token), `PAT` (personal access token of a Data Center) or `OAuth2`.'),
  query: z.string().describe('JQL query. Its ORDER BY clause is ignored.'),
  api_token: secret().nullish().describe('Token for `basic`, `PAT` and `OAuth2`.'),
  cloud_id: field.text().describe('Needed for `OAuth2` and for API tokens with scopes.'),
  email: withoutEffect(field.text(), (_, within) =>
    isBasic(within) ? undefined : 'email is only used with basic authentication.',
  ),
};

const NO_EXPANSION = 'Only `changelog` has an effect. Names are always requested. Ignored';

export const expand = withoutEffect(
  field.text().describe('Expansions, separated by commas. `changelog` adds the change history.'),
  (given) => {
    const { others } = parseExpansions(String(given));
    return others.length > 0 ? `${NO_EXPANSION}: ${others.join(', ').slice(0, 300)}` : undefined;
  },
);

export const accessControlBesidesPermissions = withoutEffect(
  field.flagOr(false),
  (given, { get_permissions }) =>
    given === true && get_permissions === false
      ? 'Permissions are not read because get_permissions is false.'
      : undefined,
);
