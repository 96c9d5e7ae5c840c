import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { effectiveExpansions } from './settings.ts';

const isBasic = ({ authentication_mechanism: given }: Record<string, unknown>) =>
  typeof given === 'string' && given.trim().toLowerCase() === 'basic';

/** Connection settings shared by both Jira source types. */
export const connectionFields = {
  authentication_mechanism: z
    .string()
    .describe('basic (email and api_token), PAT (a personal access token of a Data Center) or OAuth2.'),
  query: z.string().describe('JQL; its ORDER BY is left out, since files have no order.'),
  api_token: secret().nullish().describe('For basic, PAT and OAuth2.'),
  cloud_id: field.text().describe('For OAuth2, and for API tokens with scopes.'),
  email: withoutEffect(field.text(), (_, within) =>
    isBasic(within) ? undefined : 'Only basic authentication says who comes with the token.',
  ),
};

const NO_EXPANSION = 'Of what Jira can add, only the changelog becomes text here; names are always asked for';

export const expand = withoutEffect(
  field.text().describe('Separated by commas: `changelog` adds the history of changes.'),
  (given) => {
    const { others } = effectiveExpansions(String(given));
    return others.length > 0 ? `${NO_EXPANSION}: ${others.join(', ').slice(0, 300)}` : undefined;
  },
);

export const accessControlBesidesPermissions = withoutEffect(
  field.flagOr(false),
  (given, { get_permissions }) =>
    given === true && get_permissions === false
      ? 'get_permissions is false, so who may see an issue is not asked for.'
      : undefined,
);
