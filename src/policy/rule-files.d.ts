/** Rule files are read as text. */
declare module "*.rules" {
  const text: string;
  export default text;
}
