import { createHash } from 'node:crypto';
import { asString, required } from '../cloudformation/properties';
import { ResourceError, type ResourceProvider } from '../cloudformation/resource-provider';

const NOT_ENCRYPTED = 'nothing is encrypted at rest here';

/** Keys and aliases that queues, topics and tables can name. There is no cryptography behind them, and no API. */
export function kmsProviders(): ResourceProvider[] {
  return [
    {
      type: 'AWS::KMS::Key',
      emulated: ['KeySpec', 'KeyUsage'],
      ignored: {
        KeyPolicy: 'the identity policies of the account decide alone who may use a key',
        BypassPolicyLockoutSafetyCheck: 'key policies are not looked at',
        Description: 'a text for people',
        EnableKeyRotation: NOT_ENCRYPTED,
        RotationPeriodInDays: NOT_ENCRYPTED,
        Enabled: NOT_ENCRYPTED,
        MultiRegion: 'one region is emulated',
        Origin: NOT_ENCRYPTED,
        PendingWindowInDays: 'keys are never deleted here',
        Tags: 'tags of keys are not looked at',
      },
      create: ({ account, region, generatedName, properties }) => {
        const spec = asString(properties, 'KeySpec') ?? 'SYMMETRIC_DEFAULT';
        const usage = asString(properties, 'KeyUsage') ?? 'ENCRYPT_DECRYPT';
        if (spec !== 'SYMMETRIC_DEFAULT')
          throw new ResourceError('KeySpec', 'only SYMMETRIC_DEFAULT is emulated');
        if (usage !== 'ENCRYPT_DECRYPT')
          throw new ResourceError('KeyUsage', 'only ENCRYPT_DECRYPT is emulated');
        const keyId = uuidOf(generatedName);
        return {
          ref: keyId,
          attributes: { KeyId: keyId, Arn: `arn:aws:kms:${region}:${account}:key/${keyId}` },
        };
      },
    },
    {
      type: 'AWS::KMS::Alias',
      emulated: ['AliasName', 'TargetKeyId'],
      create: ({ properties }) => {
        const name = required(asString(properties, 'AliasName'), 'AliasName');
        required(asString(properties, 'TargetKeyId'), 'TargetKeyId');
        if (!/^alias\/(?!aws\/)[\w/-]+$/.test(name))
          throw new ResourceError('AliasName', `'${name}' must begin with alias/ and not with alias/aws/`);
        return { ref: name, attributes: { AliasName: name } };
      },
    },
  ];
}

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
