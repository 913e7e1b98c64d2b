import * as lambda from 'aws-cdk-lib/aws-lambda';

/** The function whose settings these are: that behind an alias or version. */
export function functionBehind(consumer: lambda.IFunction): lambda.Function | undefined {
  if (consumer instanceof lambda.Function) return consumer;
  if (consumer instanceof lambda.Alias) return functionBehind(consumer.version.lambda);
  return consumer instanceof lambda.Version ? functionBehind(consumer.lambda) : undefined;
}
