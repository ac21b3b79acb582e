import React from "react";

type Props = { name: string };

export function Greeting({ name }: Props) {
  const handle = () => alert(`Hi ${name}`);
  return <p onClick={handle}>don't panic, {name}</p>;
}

export const Badge: React.FC<Props> = ({ name }) => <b>{name}</b>;

export const Fast = React.memo(function Inner(props: Props) {
  return <Greeting {...props} />;
});

export default class Panel extends React.Component<Props> {
  state = { open: false };
  render() {
    return <div>{/* empty */}</div>;
  }
}
