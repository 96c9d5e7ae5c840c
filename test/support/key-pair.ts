/** Returns an RSA private key as PEM, as in a service account key file, and its public key. */
export async function keyPair() {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048 };
  const pair = (await crypto.subtle.generateKey(
    { ...algorithm, publicExponent: new Uint8Array([1, 0, 1]) },
    true,
    ['sign', 'verify'],
  )) as CryptoKeyPair;
  const pem = async (format: 'spki' | 'pkcs8', key: CryptoKey, label: string) => {
    const bytes = new Uint8Array((await crypto.subtle.exportKey(format, key)) as ArrayBuffer);
    const lines = btoa(String.fromCharCode(...bytes)).replaceAll(/(.{64})/g, '$1\n');
    return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
  };
  return {
    publicKey: await pem('spki', pair.publicKey, 'PUBLIC KEY'),
    privateKey: await pem('pkcs8', pair.privateKey, 'PRIVATE KEY'),
  };
}
