import { asString } from '../cloudformation/properties';
import { ResourceError, type ResourceProvider } from '../cloudformation/resource-provider';
import type { ObjectStore } from './object-store';

const NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

export function bucketProviders(store: ObjectStore): ResourceProvider[] {
  return [
    {
      type: 'AWS::S3::Bucket',
      emulated: ['BucketName'],
      ignored: {
        BucketEncryption: 'nothing is encrypted at rest here',
        PublicAccessBlockConfiguration: 'nothing is public here: the engine listens on this machine only',
        OwnershipControls: 'there is one owner',
        VersioningConfiguration: 'the current version of an object is kept, and no API asks for older ones',
        LifecycleConfiguration: 'objects stay as long as the engine runs',
        LoggingConfiguration: 'no access log is written',
        AccelerateConfiguration: 'a matter of networks',
        IntelligentTieringConfigurations: 'a price class',
        MetricsConfigurations: 'no request metrics are made',
        InventoryConfigurations: 'no inventory is made',
        Tags: 'tags of buckets are not looked at',
      },
      create: ({ properties, generatedName, region, account }) => {
        const name =
          asString(properties, 'BucketName') ?? `${generatedName}-${account}`.toLowerCase().slice(0, 63);
        if (!NAME.test(name)) throw new ResourceError('BucketName', `'${name}' is not a bucket name`);
        store.createBucket(name);
        return {
          ref: name,
          attributes: {
            Arn: `arn:aws:s3:::${name}`,
            DomainName: `${name}.s3.amazonaws.com`,
            RegionalDomainName: `${name}.s3.${region}.amazonaws.com`,
            DualStackDomainName: `${name}.s3.dualstack.${region}.amazonaws.com`,
            WebsiteURL: `http://${name}.s3-website-${region}.amazonaws.com`,
          },
        };
      },
    },
    {
      type: 'AWS::S3::BucketPolicy',
      emulated: ['Bucket'],
      ignored: { PolicyDocument: 'the identity policies of the account decide alone' },
      create: ({ properties }) => {
        const bucket = asString(properties, 'Bucket') ?? '';
        if (!store.has(bucket)) throw new ResourceError('Bucket', `there is no bucket '${bucket}'`);
        return { ref: bucket, attributes: {} };
      },
    },
  ];
}
