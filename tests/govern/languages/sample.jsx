export const Title = ({ text }) => {
  const [open, setOpen] = useState(false);
  return <h1 onClick={() => setOpen(!open)}>{text}</h1>;
};

export default function () {
  return <Title text="it's" />;
}
