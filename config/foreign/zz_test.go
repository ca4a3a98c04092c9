package foreign
import ("testing";"os";"fmt")
func TestZZ(t *testing.T){
 for _, f := range []string{"boot.yaml","grpc.json","app.yml","app.properties"} {
  data, _ := os.ReadFile("/tmp/s/"+f)
  fn := Envoy
  if f[0]=='g' {fn = GRPC}; if f[0]=='a' {fn=Resilience4j}
  tr, err := fn(data, "")
  fmt.Println("=====", f, err)
  if err != nil { continue }
  fmt.Println(tr.Policy); tr.Report.Write(os.Stdout)
 }
}
