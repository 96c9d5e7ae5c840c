/** Version of this service. */
export const VERSION = '0.3.0';
