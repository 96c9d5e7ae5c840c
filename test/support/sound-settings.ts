/** Names of fields that hold an address. */
const ADDRESS =
  /^(api_endpoint|url|uri|.*_(url|uri|endpoint|base)|server_url|token_uri|search_service_endpoint)$/;

/** Other fields whose values are checked before a driver sends a request. */
const FIXED: [name: RegExp, value: unknown][] = [
  [/^(bucket|container_name|collection_name|index_name|search_service_index_name)$/, 'texts'],
  [/^(region|aws_region|region_name)$/, 'eu-west-1'],
];

/** What some kinds need beside their required fields before they ask anything; `undefined` leaves a field out. */
function furtherSettings(address: string, privateKey: string): Record<string, Record<string, unknown>> {
  return {
    VENDOR_B_SEARCH: { client_secret: undefined },
    VENDOR_H: { username: 'ann', api_key: undefined },
    SOURCE_1_BLOB: { account_key: undefined, tenant_id: 'tenant', client_id: 'client' },
    SOURCE_2_FOLDERS: { authentication_mechanism: 'developer_token' },
    SOURCE_3_WIKI: { authentication_mechanism: 'basic', user_name: 'ann' },
    SOURCE_4_DRIVE: {
      service_account_key: {
        client_email: 'a@p.example',
        private_key: privateKey,
        token_uri: `${address}/token`,
      },
    },
    SOURCE_5_ISSUES: { authentication_mechanism: 'PAT' },
    SOURCE_5_ISSUES_V2: { authentication_mechanism: 'PAT' },
    SOURCE_7_SITE: { site_name: 'site' },
  };
}

/** Replaces what `plant` put into fields that are no secrets, so that a driver of this kind sends a request to `address`. */
export function makeSound(
  kind: string,
  fields: readonly string[],
  component: Record<string, unknown>,
  { address, privateKey }: { address: string; privateKey: string },
): Record<string, unknown> {
  const values: typeof FIXED = [[ADDRESS, address], [/^private_key$/, privateKey], ...FIXED];
  const sound = { ...component };
  for (const [name, value] of values) {
    for (const field of fields) if (name.test(field)) sound[field] = value;
  }
  return Object.assign(sound, furtherSettings(address, privateKey)[kind]);
}
